/** What webhooks are sent for each request: the whole review. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Json } from '../webhook-process.ts'
import { map, MAPS, scene, type HookKind, type Scene } from './webhooks.fixture.ts'

const NS = '/api/v1/namespaces/default'
const PODS = `${NS}/pods`
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const AS_ALICE = {
  'impersonate-user': 'alice',
  'impersonate-uid': 'u-1',
  'impersonate-group': 'system:masters',
  'impersonate-extra-reason': 'work',
}
const ALICE = {
  username: 'alice',
  uid: 'u-1',
  groups: ['system:masters', 'system:authenticated'],
  extra: { reason: ['work'] },
}

const podSpec = { containers: [{ name: 'c', image: 'i' }] }
const labels = { app: 'x' }
const deployment = {
  metadata: { name: 'd' },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
}
const scale = {
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'd' },
  spec: { replicas: 2 },
}

interface Row {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body?: Json
  readonly type?: string
  /** The request without uid, user and objects. */
  readonly request: (domain: string) => Json
  /** The objects in short: kind, name and what else is looked at. */
  readonly object: Json
  readonly oldObject: Json
  readonly kinds?: readonly (readonly [kind: HookKind, version: string])[]
}

const BOTH = [
  ['mutating', 'v1beta1'],
  ['validating', 'v1'],
] as const

const core = (kind: string, resource: string) => ({
  kind: { group: '', version: 'v1', kind },
  resource: { group: '', version: 'v1', resource },
})
/** Members that are the same for the request as it came in. */
const asked = ({ kind, resource }: Json, subResource?: string) => ({
  kind,
  resource,
  ...(subResource === undefined ? {} : { subResource }),
  requestKind: kind,
  requestResource: resource,
  ...(subResource === undefined ? {} : { requestSubResource: subResource }),
})
const options = (kind: string, domain: string, more: Json = {}) => ({
  kind,
  apiVersion: `meta.${domain}/v1`,
  ...more,
})
const MAP = core('ConfigMap', 'configmaps')
const POD = core('Pod', 'pods')
const APPS = {
  kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
}
const SCALE = {
  kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  resource: APPS.resource,
}
const MERGE = 'application/merge-patch+json'
const APPLY = 'application/apply-patch+yaml'

const rows: readonly Row[] = [
  {
    name: 'create',
    method: 'POST',
    path: `${MAPS}?fieldManager=me&fieldValidation=Strict`,
    body: map('new'),
    request: (domain) => ({
      ...asked(MAP),
      name: 'new',
      namespace: 'default',
      operation: 'CREATE',
      dryRun: false,
      options: options('CreateOptions', domain, { fieldManager: 'me', fieldValidation: 'Strict' }),
    }),
    object: 'v1 ConfigMap new',
    oldObject: null,
  },
  {
    name: 'create with a generated name, as a dry run',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    body: { metadata: { generateName: 'gen-' } },
    request: (domain) => ({
      ...asked(MAP),
      namespace: 'default',
      operation: 'CREATE',
      dryRun: true,
      options: options('CreateOptions', domain, { dryRun: ['All'] }),
    }),
    object: 'v1 ConfigMap undefined',
    oldObject: null,
    // By the time of the second phase the name is chosen.
    kinds: [['mutating', 'v1']],
  },
  {
    name: 'create of a cluster-scoped object',
    method: 'POST',
    path: '/api/v1/nodes',
    body: { metadata: { name: 'n' } },
    request: (domain) => ({
      ...asked(core('Node', 'nodes')),
      name: 'n',
      operation: 'CREATE',
      dryRun: false,
      options: options('CreateOptions', domain),
    }),
    object: 'v1 Node n',
    oldObject: null,
  },
  {
    name: 'update',
    method: 'PUT',
    path: `${MAPS}/x`,
    body: { ...map('x'), data: { a: '2' } },
    request: (domain) => ({
      ...asked(MAP),
      name: 'x',
      namespace: 'default',
      operation: 'UPDATE',
      dryRun: false,
      options: options('UpdateOptions', domain),
    }),
    object: 'v1 ConfigMap x',
    oldObject: 'v1 ConfigMap x',
  },
  {
    name: 'patch',
    method: 'PATCH',
    path: `${MAPS}/x?fieldManager=p`,
    body: { data: { b: '2' } },
    type: MERGE,
    request: (domain) => ({
      ...asked(MAP),
      name: 'x',
      namespace: 'default',
      operation: 'UPDATE',
      dryRun: false,
      options: options('UpdateOptions', domain, { fieldManager: 'p' }),
    }),
    object: 'v1 ConfigMap x',
    oldObject: 'v1 ConfigMap x',
  },
  {
    name: 'apply that makes the object',
    method: 'PATCH',
    path: `${MAPS}/applied?fieldManager=p`,
    body: { apiVersion: 'v1', kind: 'ConfigMap', ...map('applied') },
    type: APPLY,
    request: (domain) => ({
      ...asked(MAP),
      name: 'applied',
      namespace: 'default',
      operation: 'CREATE',
      dryRun: false,
      options: options('CreateOptions', domain, { fieldManager: 'p' }),
    }),
    object: 'v1 ConfigMap applied',
    oldObject: null,
  },
  {
    name: 'status',
    method: 'PATCH',
    path: `${PODS}/p/status`,
    body: { status: { phase: 'Running' } },
    type: MERGE,
    request: (domain) => ({
      ...asked(POD, 'status'),
      name: 'p',
      namespace: 'default',
      operation: 'UPDATE',
      dryRun: false,
      options: options('UpdateOptions', domain),
    }),
    object: 'v1 Pod p',
    oldObject: 'v1 Pod p',
  },
  {
    name: 'scale',
    method: 'PUT',
    path: `${DEPLOYMENTS}/d/scale`,
    body: scale,
    request: (domain) => ({
      ...asked(SCALE, 'scale'),
      name: 'd',
      namespace: 'default',
      operation: 'UPDATE',
      dryRun: false,
      options: options('UpdateOptions', domain),
    }),
    object: 'autoscaling/v1 Scale d',
    oldObject: 'autoscaling/v1 Scale d',
  },
  {
    name: 'eviction',
    method: 'POST',
    path: `${PODS}/p/eviction?dryRun=All`,
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } },
    request: (domain) => ({
      ...asked(
        { kind: { group: 'policy', version: 'v1', kind: 'Eviction' }, resource: POD.resource },
        'eviction',
      ),
      name: 'p',
      namespace: 'default',
      operation: 'CREATE',
      dryRun: true,
      options: options('CreateOptions', domain, { dryRun: ['All'] }),
    }),
    object: 'policy/v1 Eviction p',
    oldObject: null,
  },
  {
    name: 'binding',
    method: 'POST',
    path: `${PODS}/p/binding?dryRun=All`,
    body: { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
    request: (domain) => ({
      ...asked(
        { kind: { group: '', version: 'v1', kind: 'Binding' }, resource: POD.resource },
        'binding',
      ),
      name: 'p',
      namespace: 'default',
      operation: 'CREATE',
      dryRun: true,
      options: options('CreateOptions', domain, { dryRun: ['All'] }),
    }),
    object: 'v1 Binding p',
    oldObject: null,
  },
  {
    name: 'token',
    method: 'POST',
    path: `${NS}/serviceaccounts/robot/token`,
    body: { metadata: { name: 'robot' }, spec: { expirationSeconds: 600 } },
    request: (domain) => ({
      ...asked(
        {
          kind: { group: `authentication.${domain}`, version: 'v1', kind: 'TokenRequest' },
          resource: { group: '', version: 'v1', resource: 'serviceaccounts' },
        },
        'token',
      ),
      name: 'robot',
      namespace: 'default',
      operation: 'CREATE',
      dryRun: false,
      options: options('CreateOptions', domain),
    }),
    object: 'authentication.DOMAIN/v1 TokenRequest robot',
    oldObject: null,
  },
  {
    name: 'access review',
    method: 'POST',
    path: '/apis/authorization.DOMAIN/v1/selfsubjectaccessreviews',
    body: { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
    request: (domain) => ({
      ...asked({
        kind: { group: `authorization.${domain}`, version: 'v1', kind: 'SelfSubjectAccessReview' },
        resource: {
          group: `authorization.${domain}`,
          version: 'v1',
          resource: 'selfsubjectaccessreviews',
        },
      }),
      operation: 'CREATE',
      dryRun: false,
      options: options('CreateOptions', domain),
    }),
    object: 'authorization.DOMAIN/v1 SelfSubjectAccessReview undefined',
    oldObject: null,
  },
  {
    name: 'connection',
    method: 'GET',
    path: `${PODS}/p/exec?command=ls&command=-l&stdout=true`,
    request: () => ({
      ...asked(
        { kind: { group: '', version: 'v1', kind: 'PodExecOptions' }, resource: POD.resource },
        'exec',
      ),
      name: 'p',
      namespace: 'default',
      operation: 'CONNECT',
      dryRun: false,
      options: null,
    }),
    object: { kind: 'PodExecOptions', apiVersion: 'v1', stdout: true, command: ['ls', '-l'] },
    oldObject: null,
  },
  {
    name: 'delete',
    method: 'DELETE',
    path: `${MAPS}/x`,
    body: { propagationPolicy: 'Background', gracePeriodSeconds: 0 },
    request: (domain) => ({
      ...asked(MAP),
      name: 'x',
      namespace: 'default',
      operation: 'DELETE',
      dryRun: false,
      options: options('DeleteOptions', domain, {
        gracePeriodSeconds: 0,
        propagationPolicy: 'Background',
      }),
    }),
    object: null,
    oldObject: 'v1 ConfigMap x',
  },
  {
    name: 'deletecollection',
    method: 'DELETE',
    path: `${MAPS}?labelSelector=only=this`,
    request: (domain) => ({
      ...asked(MAP),
      namespace: 'default',
      operation: 'DELETE',
      dryRun: false,
      options: options('DeleteOptions', domain),
    }),
    object: null,
    oldObject: 'v1 ConfigMap y',
  },
  {
    name: 'namespace',
    method: 'POST',
    path: '/api/v1/namespaces?dryRun=All',
    body: { metadata: { name: 'other' } },
    request: (domain) => ({
      ...asked(core('Namespace', 'namespaces')),
      name: 'other',
      namespace: 'other',
      operation: 'CREATE',
      dryRun: true,
      options: options('CreateOptions', domain, { dryRun: ['All'] }),
    }),
    object: 'v1 Namespace other',
    oldObject: null,
  },
]

const inShort = (object: Json) =>
  object?.metadata ? `${object.apiVersion} ${object.kind} ${object.metadata.name}` : object

for (const vocabulary of ['orch', 'kubernetes'] as const) {
  const domain = vocabulary === 'orch' ? 'orch.io' : 'k8s.io'
  const own = (value: Json): Json =>
    typeof value === 'string' ? value.replace('DOMAIN', domain) : value
  describe(`in vocabulary ${vocabulary}`, () => {
    let s: Scene
    beforeAll(async () => {
      s = await scene({ vocabulary })
    })
    afterAll(() => s.close())
    beforeEach(async () => {
      await s.clear()
      await s.client.delete(MAPS)
      await s.client.post(MAPS, map('x'))
      await s.client.post(MAPS, map('y', { labels: { only: 'this' } }))
      await s.client.post(`${NS}/serviceaccounts`, { metadata: { name: 'robot' } })
      await s.client.post(`${NS}/serviceaccounts`, { metadata: { name: 'default' } })
      await s.client.post(PODS, { metadata: { name: 'p' }, spec: podSpec })
      await s.client.post(DEPLOYMENTS, deployment)
    })

    test('create with a generated name (validating)', async () => {
      await s.configure('validating', 'c', {})
      await s.client.post(MAPS, { metadata: { generateName: 'gen-' } })
      const [call] = s.taken()
      const { name, object } = call!.review.request
      expect(name).toMatch(/^gen-.{5}$/)
      expect(object.metadata.name).toBe(name)
    })

    for (const { name, method, path, body, type, request, kinds = BOTH, ...objects } of rows)
      for (const [kind, version] of kinds)
        test(`${name} (${kind})`, async () => {
          await s.configure(kind, 'c', {
            rules: [
              { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] },
            ],
            admissionReviewVersions: ['v3', version],
          })
          s.webhooks.take()
          await s.client.ask(method, own(path), {
            headers: { ...AS_ALICE, ...(type === undefined ? {} : { 'content-type': type }) },
            ...(body === undefined ? {} : { body }),
          })
          const [call] = s.webhooks
            .take()
            .filter(({ review }) => review.request.userInfo.username === 'alice')
          const { object, oldObject, uid, userInfo, ...rest } = call!.review.request
          expect({ ...call!.review, request: rest }).toEqual({
            kind: 'AdmissionReview',
            apiVersion: `admission.${domain}/${version}`,
            request: request(domain),
          })
          expect(uid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
          expect(userInfo).toEqual(ALICE)
          expect(inShort(object)).toEqual(own(objects.object))
          expect(inShort(oldObject)).toEqual(own(objects.oldObject))
          expect(call!.line).toBe('POST /a.example.com?timeout=10s')
          expect(call!.headers).toMatchObject({
            'content-type': 'application/json',
            accept: 'application/json',
            'user-agent': `${vocabulary === 'orch' ? 'orch' : 'kube'}-apiserver-admission`,
          })
          expect(call!.headers['authorization']).toBeUndefined()
        })
  })
}

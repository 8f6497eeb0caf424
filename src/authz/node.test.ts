import { describe, expect, test } from 'vitest'
import type { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import type { VolumeAttachment } from '../kinds/storage/volume-attachment.ts'
import { vocabularies } from '../vocabulary/index.ts'
import type { Decision } from './authorizer.ts'
import { NodeGraph } from './node-graph.ts'
import { nodeAuthorizer, nodeNameOf } from './node.ts'
import {
  claimsOfPod,
  configMapsOfPod,
  nodeSecretsOfVolume,
  secretsOfPod,
} from './pod-references.ts'
import { ask, user, v } from './rbac.fixture.ts'

// Only the members that the graph reads.
const pod = (place: string, node: string, spec: object = {}, metadata: object = {}): Pod => {
  const [namespace, name] = place.split('/')
  return {
    metadata: { name, namespace, uid: `uid-${name}`, ...metadata },
    spec: { containers: [], ...(node === '' ? {} : { nodeName: node }), ...spec },
  } as unknown as Pod
}
const volume = (name: string, claim: string, source: object = {}): PersistentVolume => {
  const [namespace, claimName] = claim.split('/')
  const claimRef = claim === '' ? {} : { claimRef: { namespace, name: claimName } }
  return { metadata: { name }, spec: { ...claimRef, ...source } } as unknown as PersistentVolume
}
const attachment = (name: string, node: string): VolumeAttachment =>
  ({ metadata: { name }, spec: { nodeName: node } }) as unknown as VolumeAttachment
const mounts = (...claims: string[]) => ({
  volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
})

const everything = pod('a/all', 'n1', {
  serviceAccountName: 'robot',
  imagePullSecrets: [{ name: 'pull' }, {}, { name: '' }],
  initContainers: [
    {
      name: 'i',
      envFrom: [{ secretRef: { name: 's-init' } }, { configMapRef: { name: 'c-init' } }],
    },
  ],
  containers: [
    {
      name: 'c',
      env: [
        { name: 'x', value: 'y' },
        { name: 's', valueFrom: { secretKeyRef: { name: 's-env', key: 'k' } } },
        { name: 'c', valueFrom: { configMapKeyRef: { name: 'c-env', key: 'k' } } },
        { name: 't', valueFrom: { secretKeyRef: { name: 's-env', key: 'l' } } },
      ],
    },
  ],
  ephemeralContainers: [
    { name: 'e', env: [{ name: 's', valueFrom: { secretKeyRef: { name: 's-debug', key: 'k' } } }] },
  ],
  volumes: [
    { name: 'v1', secret: { secretName: 's-volume' } },
    { name: 'v2', configMap: { name: 'c-volume' } },
    {
      name: 'v3',
      projected: {
        sources: [
          { secret: { name: 's-projected' } },
          { configMap: { name: 'c-projected' } },
          { serviceAccountToken: { path: 'p' } },
        ],
      },
    },
    { name: 'v4', azureFile: { secretName: 's-azure' } },
    { name: 'v5', csi: { driver: 'd', nodePublishSecretRef: { name: 's-csi' } } },
    { name: 'v6', iscsi: { secretRef: { name: 's-iscsi' } } },
    { name: 'v7', rbd: { secretRef: { name: 's-rbd' } } },
    { name: 'v8', flexVolume: { secretRef: { name: 's-flex' } } },
    { name: 'v9', cinder: { secretRef: { name: 's-cinder' } } },
    { name: 'v10', cephfs: { secretRef: { name: 's-cephfs' } } },
    { name: 'v11', scaleIO: { secretRef: { name: 's-scale' } } },
    { name: 'v12', storageos: { secretRef: { name: 's-os' } } },
    { name: 'v13', persistentVolumeClaim: { claimName: 'claim' } },
    { name: 'v14', ephemeral: { volumeClaimTemplate: {} } },
    { name: 'v15', emptyDir: {} },
  ],
})

test('references of a pod', () => {
  expect({
    secrets: secretsOfPod(everything.spec),
    configMaps: configMapsOfPod(everything.spec),
    claims: claimsOfPod('all', everything.spec),
  }).toEqual({
    secrets: [
      'pull',
      's-init',
      's-env',
      's-debug',
      's-volume',
      's-projected',
      's-azure',
      's-csi',
      's-iscsi',
      's-rbd',
      's-flex',
      's-cinder',
      's-cephfs',
      's-scale',
      's-os',
    ],
    configMaps: ['c-init', 'c-env', 'c-volume', 'c-projected'],
    claims: ['claim', 'all-v14'],
  })
})

describe('secrets that a node needs of a persistent volume', () => {
  const rows: readonly [string, object, string[]][] = [
    ['none', {}, []],
    ['of the claim', { azureFile: { secretName: 's' } }, ['c/s']],
    ['elsewhere', { azureFile: { secretName: 's', secretNamespace: 'z' } }, ['z/s']],
    ['with a namespace', { iscsi: { secretRef: { name: 's', namespace: 'z' } } }, ['z/s']],
    ['without', { rbd: { secretRef: { name: 's' } } }, ['c/s']],
    ['without a name', { cephfs: { secretRef: { namespace: 'z' } } }, []],
    [
      'not those of controllers',
      {
        csi: {
          controllerPublishSecretRef: { name: 'cp', namespace: 'z' },
          controllerExpandSecretRef: { name: 'ce', namespace: 'z' },
          nodePublishSecretRef: { name: 'np', namespace: 'z' },
          nodeStageSecretRef: { name: 'ns', namespace: 'z' },
          nodeExpandSecretRef: { name: 'ne', namespace: 'z' },
        },
      },
      ['z/np', 'z/ns', 'z/ne'],
    ],
  ]
  for (const [name, source, secrets] of rows)
    test(name, () =>
      expect(
        nodeSecretsOfVolume(volume('v', 'c/claim', source)).map((s) => `${s.namespace}/${s.name}`),
      ).toEqual(secrets),
    )
})

const graph = new NodeGraph(v)
graph.pods.set(everything)
graph.pods.set(pod('b/other', 'n2', { ...mounts('data'), serviceAccountName: 'robot' }))
graph.pods.set(
  pod(
    'a/mirror',
    'n3',
    { ...mounts('claim'), serviceAccountName: 'robot' },
    { annotations: { 'kubernetes.io/config.mirror': '' } },
  ),
)
graph.pods.set(pod('a/waiting', '', { volumes: [{ name: 'x', secret: { secretName: 'later' } }] }))
graph.volumes.set(
  volume('pv1', 'a/claim', {
    csi: {
      nodeStageSecretRef: { name: 'stage', namespace: 'z' },
      controllerPublishSecretRef: { name: 'attach', namespace: 'z' },
    },
  }),
)
graph.volumes.set(volume('pv2', 'b/data'))
graph.volumes.set(volume('pv3', ''))
graph.attachments.set(attachment('va1', 'n1'))
const node = nodeAuthorizer(graph, v)

const n1 = user('system:node:n1', 'system:nodes', 'system:authenticated')
const allow: Decision = { verdict: 'allow', reason: '' }
const no = (reason = ''): Decision => ({ verdict: 'no opinion', reason })
const UNRELATED = "no relationship found between node 'n1' and this object"
const STORAGE = 'storage.k8s.io:'
const LEASES = 'coordination.k8s.io:leases'

describe('decisions about a node', () => {
  const rows: readonly [string, Decision][] = [
    ['get secrets a/s-env', allow],
    ['list secrets a/s-env', allow],
    ['watch secrets a/s-env', allow],
    ['get secrets a/pull', allow],
    ['get secrets b/s-env', no(UNRELATED)],
    ['get secrets a/other', no(UNRELATED)],
    ['get secrets a/later', no(UNRELATED)],
    ['get secrets z/stage', allow],
    ['get secrets z/attach', no(UNRELATED)],
    ['list secrets a/', no('No Object name found')],
    ['list secrets', no('can only read namespaced object of this type')],
    ['update secrets a/s-env', no('can only read resources of this type')],
    ['get secrets/x a/s-env', no('cannot read subresource')],
    ['get configmaps a/c-volume', allow],
    ['watch configmaps a/c-projected', allow],
    ['get configmaps a/s-env', no(UNRELATED)],
    ['delete configmaps a/c-volume', no('can only read resources of this type')],
    ['get persistentvolumeclaims a/claim', allow],
    ['get persistentvolumeclaims a/all-v14', allow],
    ['get persistentvolumeclaims b/data', no(UNRELATED)],
    ['list persistentvolumeclaims a/claim', no('can only get individual resources of this type')],
    ['get persistentvolumeclaims/x a/claim', no('cannot get subresource')],
    ['get persistentvolumeclaims a/', no('No Object name found')],
    ['update persistentvolumeclaims/status a/claim', allow],
    ['patch persistentvolumeclaims/status a/claim', allow],
    ['patch persistentvolumeclaims/status b/data', no(UNRELATED)],
    ['get persistentvolumeclaims/status a/claim', no('can only get/update/patch this type')],
    ['get persistentvolumes pv1', allow],
    ['get persistentvolumes pv2', no(UNRELATED)],
    ['get persistentvolumes pv3', no(UNRELATED)],
    ['get persistentvolumes pv9', no(UNRELATED)],
    ['watch persistentvolumes pv1', no('can only get individual resources of this type')],
    ['get persistentvolumes/status pv1', no('cannot get subresource')],
    [`get ${STORAGE}volumeattachments va1`, allow],
    [`get ${STORAGE}volumeattachments va2`, no(UNRELATED)],
    [`list ${STORAGE}volumeattachments`, no('can only get individual resources of this type')],
    ['create serviceaccounts/token a/robot', allow],
    ['create serviceaccounts/token b/robot', no(UNRELATED)],
    ['create serviceaccounts/token a/other', no(UNRELATED)],
    [
      'create serviceaccounts/token a/',
      no('can only create tokens for individual service accounts'),
    ],
    ['get serviceaccounts a/robot', no('can only create tokens for individual service accounts')],
    ['create serviceaccounts/x a/robot', no('can only create token subresource of serviceaccount')],
    [`get ${LEASES} kube-node-lease/n1`, allow],
    [`create ${LEASES} kube-node-lease/`, allow],
    [`delete ${LEASES} kube-node-lease/n1`, allow],
    [
      `update ${LEASES} kube-node-lease/n2`,
      no('can only access node lease with the same name as the requesting node'),
    ],
    [
      `list ${LEASES} kube-node-lease/n1`,
      no('can only get, create, update, patch, or delete a node lease'),
    ],
    [
      `get ${LEASES} kube-system/n1`,
      no('can only access leases in the "kube-node-lease" system namespace'),
    ],
    [`get ${STORAGE}csinodes n1`, allow],
    [`create ${STORAGE}csinodes`, allow],
    [
      `patch ${STORAGE}csinodes n2`,
      no('can only access CSINode with the same name as the requesting node'),
    ],
    [`watch ${STORAGE}csinodes n1`, no('can only get, create, update, patch, or delete a CSINode')],
    [`get ${STORAGE}csinodes/x n1`, no('cannot authorize CSINode subresources')],
    // Everything else by the fixed rules.
    ['list nodes', allow],
    ['create nodes', allow],
    ['update nodes/status n2', allow],
    ['delete nodes n1', no()],
    ['list pods', allow],
    ['delete pods b/other', allow],
    ['create pods/eviction b/other', allow],
    ['get pods/log a/all', no()],
    ['watch services', allow],
    ['get endpoints a/x', allow],
    ['create events a/', allow],
    ['create events.k8s.io:events a/', no()],
    ['create authentication.k8s.io:tokenreviews', allow],
    [`list ${STORAGE}csidrivers`, allow],
    ['watch node.k8s.io:runtimeclasses', allow],
    ['create certificates.k8s.io:certificatesigningrequests', allow],
    ['get apps:deployments a/x', no()],
    ['get apps:secrets a/s-env', no()],
    ['get /healthz', no()],
  ]
  for (const [asked, decision] of rows)
    test(asked, () => expect(node.authorize(n1, ask(asked))).toEqual(decision))
})

test('users that are nodes', () => {
  const asked = ask('list nodes')
  const who = [
    user('n1', 'system:nodes'),
    user('system:node:n1'),
    user('system:node:', 'system:nodes'),
    user('system:node:x', 'a', 'system:nodes'),
  ]
  expect(who.map((one) => [nodeNameOf(one), node.authorize(one, asked)])).toEqual([
    [null, no()],
    [null, no()],
    ['', no('unknown node for user "system:node:"')],
    ['x', allow],
  ])
})

test('permissions of a node cannot be listed', () => {
  const list = { resourceRules: [], nonResourceRules: [], incomplete: false, error: '' }
  expect([node.rulesFor(user('x'), 'a'), node.rulesFor(n1, 'a')]).toEqual([
    list,
    { ...list, incomplete: true, error: 'node authorizer does not support user rule resolution' },
  ])
})

test('a mirror pod opens nothing', () => {
  const n3 = user('system:node:n3', 'system:nodes')
  expect(node.authorize(n3, ask('get persistentvolumeclaims a/claim'))).toMatchObject({
    verdict: 'no opinion',
  })
})

test('names are those of the vocabulary', () => {
  const authorizer = nodeAuthorizer(new NodeGraph(vocabularies.orch), vocabularies.orch)
  expect(
    authorizer.authorize(n1, ask('get coordination.orch.io:leases orch-node-lease/n1')),
  ).toEqual(allow)
})

describe('the graph follows', () => {
  const live = new NodeGraph(v)
  const secret = { volumes: [{ name: 's', secret: { secretName: 's' } }] }
  const needs = (at: string) => live.needs(at, 'secret', 'a', 's')
  const steps: readonly [string, () => void, string][] = [
    ['a pod that waits', () => live.pods.set(pod('a/p', '', secret)), ''],
    ['it is placed', () => live.pods.set(pod('a/p', 'n1', secret)), 'n1'],
    ['another on the same node', () => live.pods.set(pod('a/q', 'n1', secret)), 'n1'],
    ['the first goes', () => live.pods.removed(pod('a/p', 'n1', secret)), 'n1'],
    ['a third elsewhere', () => live.pods.set(pod('a/r', 'n2', secret)), 'n1 n2'],
    [
      'the second is made anew elsewhere',
      () => live.pods.set(pod('a/q', 'n2', secret, { uid: 'new' })),
      'n2',
    ],
    [
      'both go',
      () => [live.pods.removed(pod('a/q', 'n2')), live.pods.removed(pod('a/r', 'n2'))],
      '',
    ],
    ['what is not there goes', () => live.pods.removed(pod('a/r', 'n2')), ''],
    ['a pod without it', () => live.pods.set(pod('a/t', 'n1', mounts('claim'))), ''],
    ['that gets it while it runs', () => live.pods.set(pod('a/t', 'n1', secret)), ''],
    [
      'a volume of its claim with it',
      () => live.volumes.set(volume('pv', 'a/claim', { rbd: { secretRef: { name: 's' } } })),
      'n1',
    ],
    [
      'the volume gets another',
      () => live.volumes.set(volume('pv', 'a/claim', { rbd: { secretRef: { name: 'x' } } })),
      '',
    ],
    [
      'and back',
      () => live.volumes.set(volume('pv', 'a/claim', { rbd: { secretRef: { name: 's' } } })),
      'n1',
    ],
    [
      'bound to another claim',
      () =>
        live.volumes.set(
          volume('pv', 'a/x', { rbd: { secretRef: { name: 's', namespace: 'a' } } }),
        ),
      '',
    ],
    [
      'and back again',
      () => live.volumes.set(volume('pv', 'a/claim', { rbd: { secretRef: { name: 's' } } })),
      'n1',
    ],
    ['another pod mounts it', () => live.pods.set(pod('a/u', 'n2', mounts('claim'))), 'n1 n2'],
    ['the first goes', () => live.pods.removed(pod('a/t', 'n1')), 'n2'],
    [
      'the volume is released',
      () => live.volumes.set(volume('pv', '', { rbd: { secretRef: { name: 's' } } })),
      '',
    ],
  ]
  for (const [name, step, nodes] of steps) {
    test(name, () => {
      step()
      expect(['n1', 'n2'].filter(needs).join(' ')).toBe(nodes)
    })
  }
  test('attachments come, move and go', () => {
    const where = () => ['n1', 'n2'].filter((at) => live.isAttached(at, 'va')).join(' ')
    const seen = [where()]
    live.attachments.set(attachment('va', 'n1'))
    seen.push(where())
    live.attachments.set(attachment('va', 'n2'))
    seen.push(where())
    live.attachments.removed(attachment('va', 'n2'))
    seen.push(where())
    expect(seen).toEqual(['', 'n1', 'n2', ''])
  })
  test('nothing is left behind', () => {
    live.pods.removed(pod('a/u', 'n2'))
    live.volumes.removed(volume('pv', ''))
    expect(live.size).toBe(0)
  })
})

test('a graph is fed by pods, volumes and attachments', async () => {
  const fed = new NodeGraph(v)
  const told: Record<string, unknown[]> = {
    '/pods': [pod('a/p', 'n1', mounts('claim'))],
    '/persistentvolumes': [volume('pv', 'a/claim')],
    'storage.k8s.io/volumeattachments': [attachment('va', 'n1')],
  }
  let ended = 0
  const stop = await fed.follow(
    {
      get: () => Promise.resolve(null),
      follow({ group, resource }, handler) {
        for (const object of told[`${group}/${resource}`]!) handler.set(object as never)
        return Promise.resolve(() => void ended++)
      },
    },
    v,
  )
  expect([
    fed.needs('n1', 'claim', 'a', 'claim'),
    fed.needsVolume('n1', 'pv'),
    fed.isAttached('n1', 'va'),
  ]).toEqual([true, true, true])
  stop()
  expect(ended).toBe(3)
})

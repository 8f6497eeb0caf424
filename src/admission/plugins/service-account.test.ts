import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, CORE, NS, pod, refusal, Scene } from '../../../test/admission-scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start({ disableAdmissionPlugins: [] })
  await scene.make(
    ACCOUNTS,
    { metadata: { name: 'default' } },
    {
      metadata: { name: 'pulls' },
      imagePullSecrets: [{ name: 'registry' }],
      secrets: [{ name: 'listed' }],
    },
    { metadata: { name: 'quiet' }, automountServiceAccountToken: false },
    {
      metadata: { name: 'strict', annotations: { 'orch.io/enforce-mountable-secrets': 'true' } },
      secrets: [{ name: 'listed' }],
      imagePullSecrets: [{ name: 'registry' }],
    },
    {
      metadata: { name: 'lax', annotations: { 'orch.io/enforce-mountable-secrets': 'yes' } },
    },
  )
})
afterAll(() => scene.close())

const ACCOUNTS = `${NS}/serviceaccounts`
const PODS = `${NS}/pods`
const PATH = '/var/run/secrets/orch.io/serviceaccount'
const unnamed = (spec: object, annotations = {}) => ({
  ...pod('', spec),
  metadata: { generateName: 'p-', annotations },
})
const volume = (name: string) => ({
  name,
  projected: {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'orch-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [
            { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
          ],
        },
      },
    ],
  },
})
const mounted = (name: string) => [{ name, readOnly: true, mountPath: PATH }]
const container = (name: string, more: object = {}) => ({ name, image: 'i', ...more })

describe('the token of an account', () => {
  test('is mounted into all containers, under a name of its own', async () => {
    const { status, body } = await scene.client.post(
      PODS,
      unnamed({
        initContainers: [container('i')],
        containers: [
          container('a'),
          container('b', { volumeMounts: [{ name: 'own', mountPath: '/own' }] }),
        ],
        volumes: [{ name: 'own', emptyDir: {} }],
      }),
    )
    expect(status).toBe(201)
    const { spec } = body
    expect([spec.serviceAccountName, spec.serviceAccount]).toEqual(['default', 'default'])
    const { name } = spec.volumes[1]
    expect(name).toMatch(/^orch-api-access-[a-z0-9]{5}$/)
    expect(spec.volumes).toEqual([{ name: 'own', emptyDir: {} }, volume(name)])
    expect(spec.initContainers[0].volumeMounts).toEqual(mounted(name))
    expect(spec.containers.map((one: { volumeMounts: object }) => one.volumeMounts)).toEqual([
      mounted(name),
      [{ name: 'own', mountPath: '/own' }, ...mounted(name)],
    ])
    const another = await scene.client.post(PODS, unnamed({}))
    expect(another.body.spec.volumes[0].name).not.toBe(name)
  })

  for (const { name, spec, volumes, mounts } of [
    {
      name: 'not for a pod that wants none',
      spec: { automountServiceAccountToken: false },
      volumes: undefined,
      mounts: undefined,
    },
    {
      name: 'not where the account wants none',
      spec: { serviceAccountName: 'quiet' },
      volumes: undefined,
      mounts: undefined,
    },
    {
      name: 'not where all containers mount something else there',
      spec: {
        containers: [container('c', { volumeMounts: [{ name: 'own', mountPath: PATH }] })],
        volumes: [{ name: 'own', emptyDir: {} }],
      },
      volumes: [{ name: 'own', emptyDir: {} }],
      mounts: [{ name: 'own', mountPath: PATH }],
    },
    {
      name: 'from a volume that has the name already',
      spec: { volumes: [{ name: 'orch-api-access-mine', emptyDir: {} }] },
      volumes: [{ name: 'orch-api-access-mine', emptyDir: {} }],
      mounts: mounted('orch-api-access-mine'),
    },
  ]) {
    test(name, async () => {
      const { status, body } = await scene.client.post(PODS, unnamed(spec))
      expect([status, body.spec.volumes, body.spec.containers[0].volumeMounts]).toEqual([
        201,
        volumes,
        mounts,
      ])
    })
  }

  test('for a pod that wants it although its account does not', async () => {
    const { body } = await scene.client.post(
      PODS,
      unnamed({ serviceAccountName: 'quiet', automountServiceAccountToken: true }),
    )
    expect(body.spec.volumes).toEqual([volume(body.spec.volumes[0].name)])
  })
})

describe('secrets for images', () => {
  for (const { name, spec, secrets } of [
    { name: 'of the account', spec: {}, secrets: [{ name: 'registry' }] },
    {
      name: 'of the pod, where it has some',
      spec: { imagePullSecrets: [{ name: 'own' }] },
      secrets: [{ name: 'own' }],
    },
  ]) {
    test(name, async () => {
      const { status, body } = await scene.client.post(
        PODS,
        unnamed({ serviceAccountName: 'pulls', ...spec }),
      )
      expect([status, body.spec.imagePullSecrets]).toEqual([201, secrets])
    })
  }
})

describe('a pod is refused', () => {
  const secretVariable = (secret: string) => ({
    env: [{ name: 'E', valueFrom: { secretKeyRef: { name: secret, key: 'k' } } }],
  })
  const strict = { serviceAccountName: 'strict' }
  const mirror = { 'orch.io/config.mirror': 'x' }
  const onNode = { nodeName: 'n' }
  for (const { name, spec, annotations, why } of [
    {
      name: 'of an absent account',
      spec: { serviceAccountName: 'absent' },
      why: 'error looking up service account default/absent: serviceaccount "absent" not found',
    },
    {
      name: 'with a volume of a secret that is not listed',
      spec: { ...strict, volumes: [{ name: 'v', secret: { secretName: 's' } }] },
      why: 'volume with secret.secretName="s" is not allowed because service account strict does not reference that secret',
    },
    {
      name: 'with a variable of a secret that is not listed',
      spec: { ...strict, containers: [container('c', secretVariable('s'))] },
      why: 'container c with envVar E referencing secret.secretName="s" is not allowed because service account strict does not reference that secret',
    },
    {
      name: 'with such a variable in an init container',
      spec: { ...strict, initContainers: [container('i', secretVariable('s'))] },
      why: 'init container i with envVar E referencing secret.secretName="s" is not allowed because service account strict does not reference that secret',
    },
    {
      name: 'with a secret for images that is not listed',
      spec: { ...strict, imagePullSecrets: [{ name: 'registry' }, { name: 's' }] },
      why: 'imagePullSecrets[1].name="s" is not allowed because service account strict does not reference that imagePullSecret',
    },
    {
      name: 'a mirror with an account',
      spec: { ...onNode, serviceAccountName: 'default' },
      annotations: mirror,
      why: 'a mirror pod may not reference service accounts',
    },
    {
      name: 'a mirror with a secret',
      spec: { ...onNode, volumes: [{ name: 'v', secret: { secretName: 's' } }] },
      annotations: mirror,
      why: 'a mirror pod may not reference secrets',
    },
    {
      name: 'a mirror with a token',
      spec: {
        ...onNode,
        volumes: [
          { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
        ],
      },
      annotations: mirror,
      why: 'a mirror pod may not use ServiceAccountToken volume projections',
    },
  ] as { name: string; spec: object; annotations?: object; why: string }[]) {
    test(name, async () => {
      const given = { ...pod('p', spec), metadata: { name: 'p', annotations } }
      expect(answer(await scene.client.post(PODS, given))).toEqual([
        403,
        refusal('', 'pods', 'p', why),
      ])
    })
  }

  for (const { name, spec, annotations } of [
    {
      name: 'whose secrets are listed',
      spec: {
        ...strict,
        volumes: [{ name: 'v', secret: { secretName: 'listed' } }],
        containers: [container('c', secretVariable('listed'))],
      },
    },
    {
      name: 'of an account that does not enforce its list',
      spec: { serviceAccountName: 'lax', containers: [container('c', secretVariable('s'))] },
    },
    { name: 'a mirror without any of that', spec: onNode, annotations: mirror },
  ] as { name: string; spec: object; annotations?: object }[]) {
    test(`but not one ${name}`, async () => {
      const { status, text, body } = await scene.client.post(PODS, unnamed(spec, annotations))
      expect(status, text).toBe(201)
      if (annotations) expect(body.spec.volumes).toBeUndefined()
    })
  }

  test('when a debugging container gets a secret that is not listed', async () => {
    await scene.make(PODS, pod('debugged', strict))
    const debug = (secret: string) =>
      scene.client.ask('PATCH', `${PODS}/debugged/ephemeralcontainers`, {
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
        body: { spec: { ephemeralContainers: [container('e', secretVariable(secret))] } },
      })
    expect(answer(await debug('s'))).toEqual([
      403,
      refusal(
        '',
        'pods',
        'debugged',
        'ephemeral container e with envVar E referencing secret.secretName="s" is not allowed because service account strict does not reference that secret',
      ),
    ])
    expect((await debug('listed')).status).toBe(200)
  })
})

describe('the default account of a new namespace', () => {
  const namespace = async (name: string) => {
    await scene.make(`${CORE}/namespaces`, { metadata: { name } })
    return `${CORE}/namespaces/${name}`
  }

  test('is waited for', async () => {
    const ns = await namespace('late')
    const waiting = scene.client.post(`${ns}/pods`, pod('p'))
    const other = scene.client.post(`${ns}/pods`, pod('q'))
    await scene.make(`${ns}/serviceaccounts`, { metadata: { name: 'default' } })
    expect([(await waiting).status, (await other).status]).toEqual([201, 201])
  })

  test('is not waited for in vain', async () => {
    const ns = await namespace('never')
    expect(answer(await scene.client.post(`${ns}/pods`, pod('p')))).toEqual([
      403,
      refusal(
        '',
        'pods',
        'p',
        'error looking up service account never/default: serviceaccount "default" not found',
      ),
    ])
  })

  test('is created by the controller', async () => {
    const controlled = await Scene.start({ controllers: true, disableAdmissionPlugins: [] })
    await controlled.make(`${CORE}/namespaces`, { metadata: { name: 'new' } })
    const { status, body } = await controlled.client.post(`${CORE}/namespaces/new/pods`, pod('p'))
    expect([status, body.spec.serviceAccountName]).toEqual([201, 'default'])
    await controlled.close()
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setImmediate as turn } from 'node:timers/promises'
import { admissionChain } from '../admission/chain.ts'
import { admissionPlugins } from '../admission/index.ts'
import type { Plugin, PluginDeps } from '../admission/plugin.ts'
import { alwaysAllow } from '../authz/always.ts'
import { randomIds } from '../base/ids.ts'
import { silentLog } from '../base/log.ts'
import { defaultGate } from '../kinds/gates.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import { StatusError } from '../meta/errors.ts'
import { inProcess, type InProcess } from '../server/in-process.fixture.ts'
import { contextOnce, type Api, type Body, type Call } from './context.ts'
import { pluginWriter } from './plugin-writer.ts'
import { RepeatedCreates } from './repeated-creates.ts'
import { runOf } from './run-of.ts'

/** Pods are made by models on one server and in full on the other, with the same plugins and the same objects around. */

function frozen(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  Object.values(value).forEach(frozen)
}

/** Freezes what is deeper than the members of an object's members. */
function freezeParts(object: object): void {
  for (const member of Object.values(object))
    if (typeof member === 'object' && member !== null) Object.values(member).forEach(frozen)
}

class Freezing extends RepeatedCreates {
  override find(call: Call, body: Body) {
    const found = super.find(call, body)
    if (found?.model.sharesParts) freezeParts(found.object)
    return found
  }
}

/** Freezes what plugins have put in; the webhooks behind it change nothing in place. */
const freezer: Plugin = {
  handles: () => true,
  keepsParts: true,
  mutate({ object, sharesParts }) {
    if (sharesParts) freezeParts(object!.live)
  },
}

/** As a program that embeds the server could have it. */
const changing: Plugin = {
  handles: (operation) => operation === 'CREATE',
  resources: [{ group: '', resource: 'pods' }],
  mutate({ object }) {
    const { spec } = object!.live as Pod
    for (const { projected } of spec.volumes ?? []) if (projected) projected.defaultMode = 0o400
    for (const one of spec.tolerations ?? []) one.tolerationSeconds = 7
    for (const one of spec.containers) one.image += '-changed'
  },
}

/** As a webhook does. */
const replacing: Plugin = {
  handles: (operation) => operation === 'CREATE',
  resources: [{ group: '', resource: 'pods' }],
  keepsParts: true,
  async mutate({ object, reinvocation }) {
    const json = (await object!.toJson()) as unknown as Pod
    json.spec.containers.push({ name: 'added', image: 'i' } as Pod['spec']['containers'][number])
    if (!reinvocation.isAgain) await object!.replace(json as never)
    reinvocation.request()
  },
}

const OFTEN = [
  'AlwaysPullImages',
  'PodNodeSelector',
  'ExtendedResourceToleration',
  'NamespaceExists',
]

function chainOf(
  { api, source, clock }: InProcess,
  more: readonly Plugin[],
  names: readonly string[],
) {
  const deps: PluginDeps = {
    v: api.v,
    clock,
    ids: randomIds,
    log: silentLog,
    objects: source,
    writer: pluginWriter(() => api),
    authorizer: alwaysAllow,
    catalogue: api.catalogue,
    gate: defaultGate,
    tolerationSeconds: { notReady: 300, unreachable: 200 },
  }
  const plugins = admissionPlugins
    .filter(({ name, defaultOn }) => defaultOn || names.includes(name))
    .map((factory) => factory.create(deps))
  return admissionChain([...plugins, ...more, freezer], clock)
}

interface Sent {
  readonly body: object
  readonly namespace: string
  readonly dryRun: boolean
  readonly userAgent: string
}

async function send(api: Api, { body, namespace, dryRun, userAgent }: Sent): Promise<unknown[]> {
  const served = api.catalogue.find('', 'v1', 'pods')!
  const user = { name: 'tester', uid: '', groups: [], extra: {} }
  const said: unknown[] = []
  const { signal } = new AbortController()
  const call: Call = {
    served,
    subresource: '',
    namespace,
    name: '',
    query: new Map(dryRun ? [['dryRun', ['All']]] : []),
    user,
    userAgent,
    body: () =>
      Promise.resolve({ bytes: Buffer.from(JSON.stringify(body)), mediaType: 'application/json' }),
    context: contextOnce(api, user, served),
    warn: (warning) => void said.push(warning),
    annotate: (key, value) => void said.push(key, value),
    signal: () => signal,
  }
  try {
    const result = await runOf(served, 'create', '')!(api, call)
    if (result.is !== 'object') throw new Error(`answered with ${result.is}`)
    return [result.status, result.version.json().toString(), ...said]
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return [error.code, error.reason, error.message, JSON.stringify(error.details), ...said]
  }
}

/** Without what is chosen at random, which must be where it is wanted. */
const known = (value: unknown): unknown =>
  typeof value === 'string'
    ? value
        .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uid')
        .replace(/(generated-|-api-access-)[a-z0-9]{5}"/g, '$1"')
        .replace(/generated-[a-z0-9]{5}\b/g, 'generated')
    : value

type Made = (i: number) => {
  readonly metadata?: object
  readonly spec?: object
  readonly container?: object
}

const rows: readonly [what: string, made: Made][] = [
  ['that differ in names', () => ({})],
  ['that differ in labels', (i) => ({ metadata: { labels: { a: 'b', i: `${i}` } } })],
  ['that differ in images', (i) => ({ container: { image: `i:${i}` } })],
  [
    'with names of the server',
    () => ({ metadata: { name: undefined, generateName: 'generated-' } }),
  ],
  ['of another account', () => ({ spec: { serviceAccountName: 'own' } })],
  ['of an account without tokens', () => ({ spec: { serviceAccountName: 'tokenless' } })],
  [
    'of different accounts',
    (i) => ({ spec: { serviceAccountName: ['default', 'own', 'tokenless'][i % 3] } }),
  ],
  ['of an account that is not there', () => ({ spec: { serviceAccountName: 'absent' } })],
  ['that want no token', () => ({ spec: { automountServiceAccountToken: false } })],
  [
    'with volumes',
    (i) => ({
      spec: {
        volumes: [
          { name: 'v', configMap: { name: `c${i}` } },
          { name: 'w', emptyDir: {} },
        ],
      },
      container: { volumeMounts: [{ name: 'v', mountPath: '/v' }] },
    }),
  ],
  [
    'with a volume of tokens',
    (i) => ({
      spec: { volumes: [{ name: 'kube-api-access-xxxxx', emptyDir: {} }] },
      container: { args: [`${i}`] },
    }),
  ],
  [
    'with a mount at the place of the token',
    (i) => ({
      spec: { volumes: [{ name: 'v', emptyDir: {} }] },
      container: {
        volumeMounts: [
          { name: i === 4 ? 'x' : 'v', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
        ],
      },
    }),
  ],
  [
    'with some mounts at that place',
    (i) => ({
      spec: { volumes: [{ name: 'v', emptyDir: {} }] },
      container: {
        volumeMounts: [
          { name: 'v', mountPath: i % 2 ? '/x' : '/var/run/secrets/kubernetes.io/serviceaccount' },
        ],
      },
    }),
  ],
  [
    'with init containers',
    (i) => ({ spec: { initContainers: [{ name: 'init', image: 'j', args: [`${i}`] }] } }),
  ],
  [
    'with tolerations',
    (i) => ({
      spec: {
        tolerations: [
          { key: 'k', operator: 'Exists', tolerationSeconds: i + 1, effect: 'NoExecute' },
        ],
      },
    }),
  ],
  [
    'that tolerate some taints',
    (i) => ({
      spec: {
        tolerations: [
          {
            key: i % 2 ? 'k' : 'node.kubernetes.io/not-ready',
            operator: 'Exists',
            effect: 'NoExecute',
          },
        ],
      },
    }),
  ],
  ['of a class', () => ({ spec: { priorityClassName: 'high' } })],
  [
    'of different classes',
    (i) => ({ spec: { priorityClassName: ['high', 'low', 'absent'][i % 3] } }),
  ],
  ['with a priority', (i) => ({ spec: { priority: i } })],
  [
    'of a runtime class',
    (i) => ({ spec: { runtimeClassName: 'rc', nodeSelector: { a: `${i}` } } }),
  ],
  [
    'of different runtime classes',
    (i) => ({ spec: { runtimeClassName: ['rc', 'bare', 'absent'][i % 3] } }),
  ],
  [
    'with resources',
    (i) => ({ container: { resources: { limits: { cpu: '2', memory: `${i + 1}Gi` } } } }),
  ],
  ['with other resources', () => ({ container: { resources: { requests: { cpu: '100m' } } } })],
  ['that are privileged', () => ({ container: { securityContext: { privileged: true } } })],
  [
    'with seccomp annotations',
    (i) => ({
      metadata: {
        annotations: {
          'container.seccomp.security.alpha.kubernetes.io/c': [
            'bogus',
            'runtime/default',
            'unconfined',
          ][i % 3],
        },
      },
    }),
  ],
  [
    'that mirror others',
    (i) => ({ metadata: { annotations: { 'kubernetes.io/config.mirror': `${i}` } } }),
  ],
  ['that are wrong', (i) => ({ container: { image: i % 2 ? '' : ' x' } })],
  [
    'with constraints behind a gate',
    (i) => ({
      spec: {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: `k${i}`, whenUnsatisfiable: 'DoNotSchedule', minDomains: 2 },
        ],
      },
    }),
  ],
]

describe('pods like earlier ones', () => {
  let fast: InProcess
  let plain: InProcess
  let repeated: RepeatedCreates
  let apis: { fast: Api; plain: Api }

  const each = async (work: (one: InProcess) => Promise<unknown>) => {
    for (const one of [fast, plain]) await work(one)
    // What plugins follow reaches them a moment later.
    for (let i = 0; i < 20; i++) await turn()
  }
  const use = (more: readonly Plugin[], names: readonly string[] = []) => {
    apis.fast = { ...apis.fast, admission: chainOf(fast, more, names) }
    apis.plain = { ...apis.plain, admission: chainOf(plain, more, names) }
  }
  const account =
    (name: string, namespace: string, more: object = {}) =>
    (one: InProcess) =>
      one.hand.create(['v1', 'serviceaccounts', namespace], {
        metadata: { name, ...('annotations' in more ? { annotations: more.annotations } : {}) },
        ...more,
      })

  beforeAll(async () => {
    fast = await inProcess({ vocabulary: 'kubernetes' })
    plain = await inProcess({ vocabulary: 'kubernetes' })
    repeated = new Freezing()
    const { repeatedCreates: _, ...others } = plain.api
    apis = { fast: { ...fast.api, repeatedCreates: repeated }, plain: others }
    for (const namespace of ['a', 'b']) {
      await each((one) => one.hand.create(['v1', 'namespaces'], { metadata: { name: namespace } }))
      await each(
        account(
          'default',
          namespace,
          namespace === 'b' ? { imagePullSecrets: [{ name: 's' }] } : {},
        ),
      )
      await each(account('own', namespace, { imagePullSecrets: [{ name: 'p' }], secrets: [] }))
      await each(account('tokenless', namespace, { automountServiceAccountToken: false }))
    }
    const group = 'scheduling.k8s.io/v1'
    await each((one) =>
      one.hand.create([group, 'priorityclasses'], { metadata: { name: 'high' }, value: 7 }),
    )
    await each((one) =>
      one.hand.create([group, 'priorityclasses'], {
        metadata: { name: 'low' },
        value: 1,
        preemptionPolicy: 'Never',
      }),
    )
    const classes = ['node.k8s.io/v1', 'runtimeclasses'] as const
    await each((one) => one.hand.create(classes, { metadata: { name: 'bare' }, handler: 'h' }))
    await each((one) =>
      one.hand.create(classes, {
        metadata: { name: 'rc' },
        handler: 'h',
        overhead: { podFixed: { cpu: '10m' } },
        scheduling: {
          nodeSelector: { rc: 'yes' },
          tolerations: [{ key: 'rc', operator: 'Exists' }],
        },
      }),
    )
  })
  afterAll(async () => {
    await fast.close()
    await plain.close()
  })

  let count = 0
  async function both(made: Made, i: number, more: Partial<Sent> = {}) {
    const { metadata, spec, container } = made(i)
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${++count}`, labels: { a: 'b' }, ...metadata },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i:1',
            env: [{ name: 'E', value: 'v' }],
            ports: [{ containerPort: 80 }],
            ...container,
          },
          { name: 'd', image: 'other:1' },
        ],
        ...spec,
      },
    }
    const sent = { body, namespace: 'a', dryRun: false, userAgent: 'tester', ...more }
    const wanted = (await send(apis.plain, sent)).map(known)
    const answer = await send(apis.fast, sent)
    expect(answer.map(known), JSON.stringify(sent)).toEqual(wanted)
    for (const one of [fast, plain]) one.clock.advance(300)
    return answer
  }

  /** What is around the pods while all rows are sent: what a model knows must not outlive it. */
  const around: readonly [
    what: string,
    change: () => Promise<unknown> | void,
    more?: Partial<Sent>,
  ][] = [
    ['with the default plugins', () => use([])],
    ['again', () => {}],
    ['in another namespace', () => {}, { namespace: 'b' }],
    ['as dry runs', () => {}, { dryRun: true }],
    ['with a plugin that changes pods in place', () => use([changing])],
    ['with a plugin that replaces pods, and wants a second round', () => use([replacing])],
    ['without it', () => use([])],
    ['with plugins that are off by default', () => use([], OFTEN)],
    [
      'with a limit range',
      async () => {
        use([])
        await each((one) =>
          one.hand.create(['v1', 'limitranges', 'a'], {
            metadata: { name: 'r' },
            spec: {
              limits: [
                {
                  type: 'Container',
                  default: { memory: '1Gi' },
                  defaultRequest: { cpu: '50m' },
                  max: { memory: '4Gi' },
                },
              ],
            },
          }),
        )
      },
    ],
    [
      'with another limit range',
      () =>
        each((one) =>
          one.hand.patch(['v1', 'limitranges', 'a', 'r'], {
            spec: { limits: [{ type: 'Container', default: { memory: '2Gi', cpu: '3' } }] },
          }),
        ),
    ],
    [
      'without a limit range',
      () => each((one) => one.hand.delete(['v1', 'limitranges', 'a', 'r'])),
    ],
    [
      'with a default class',
      () =>
        each((one) =>
          one.hand.create(['scheduling.k8s.io/v1', 'priorityclasses'], {
            metadata: { name: 'usual' },
            value: 3,
            globalDefault: true,
            preemptionPolicy: 'Never',
          }),
        ),
    ],
    [
      'without a default class',
      () =>
        each((one) => one.hand.delete(['scheduling.k8s.io/v1', 'priorityclasses', '', 'usual'])),
    ],
    [
      'with accounts that changed',
      () =>
        each(async (one) => {
          await one.hand.patch(['v1', 'serviceaccounts', 'a', 'default'], {
            imagePullSecrets: [{ name: 'new' }],
          })
          await one.hand.patch(['v1', 'serviceaccounts', 'a', 'own'], {
            automountServiceAccountToken: false,
            metadata: { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
          })
        }),
    ],
    [
      'with a runtime class that changed',
      () => each((one) => one.hand.delete(['node.k8s.io/v1', 'runtimeclasses', '', 'rc'])),
    ],
    [
      'at a level of pod security',
      () =>
        each((one) =>
          one.hand.patch(['v1', 'namespaces', '', 'a'], {
            metadata: {
              labels: {
                'pod-security.kubernetes.io/enforce': 'baseline',
                'pod-security.kubernetes.io/warn': 'restricted',
              },
            },
          }),
        ),
    ],
    [
      'with a quota',
      () =>
        each(async (one) => {
          await one.hand.create(['v1', 'resourcequotas', 'b'], {
            metadata: { name: 'q' },
            spec: { hard: { pods: '1000', 'count/pods': '1000' } },
          })
        }),
      { namespace: 'b' },
    ],
    [
      'in a namespace that ends',
      () => each((one) => one.hand.delete(['v1', 'namespaces', '', 'b'])),
      { namespace: 'b' },
    ],
  ]

  test.each(around)('are the same as all others: %s', async (_, change, more) => {
    await change()
    const done = repeated.done
    for (const [what, made] of rows)
      for (let i = 0; i < 5; i++) await both(made, i, { userAgent: what, ...more })
    expect(repeated.done - done).toBeGreaterThan(rows.length)
    const lists = await Promise.all(
      [fast, plain].map(async ({ api }) => {
        const stored = []
        for (const resource of ['pods', 'resourcequotas']) {
          const { keyPrefix } = api.catalogue.find('', 'v1', resource)!.storage
          const { items } = await api.cache.list(keyPrefix, keyPrefix)
          stored.push([...items].map((item) => known(item.json().toString())).sort())
        }
        return stored
      }),
    )
    expect(lists[0]).toEqual(lists[1])
  })

  test('have a volume of their own for the token', async () => {
    await each((one) => one.hand.create(['v1', 'namespaces'], { metadata: { name: 'c' } }))
    await each(account('default', 'c'))
    use([])
    const names = new Set<string>()
    for (let i = 0; i < 20; i++) {
      const [, text] = await both(() => ({}), i, { namespace: 'c', userAgent: 'volumes' })
      const { spec } = JSON.parse(text as string) as { spec: Pod['spec'] }
      const [{ name }] = spec.volumes as [{ name: string }]
      expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/)
      for (const { volumeMounts } of spec.containers)
        expect(volumeMounts).toEqual([
          { name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
        ])
      names.add(name)
    }
    expect(names.size).toBe(20)
  })
})

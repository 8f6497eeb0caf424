/** Server-side apply over HTTP: lists, atomic values, sub-resources, versions, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { apply, force, merge, ownersOf, write, type Json, type Step } from './apply.fixture.ts'

let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ controllers: false, disableAdmissionPlugins: ['ServiceAccount'] })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const kinds = {
  Deployment: { path: '/apis/apps/v1/namespaces/default/deployments', apiVersion: 'apps/v1' },
  Service: { path: '/api/v1/namespaces/default/services', apiVersion: 'v1' },
  ServiceAccount: { path: '/api/v1/namespaces/default/serviceaccounts', apiVersion: 'v1' },
  ConfigMap: { path: '/api/v1/namespaces/default/configmaps', apiVersion: 'v1' },
  Node: { path: '/api/v1/nodes', apiVersion: 'v1' },
  Pod: { path: '/api/v1/namespaces/default/pods', apiVersion: 'v1' },
  NetworkPolicy: {
    path: '/apis/networking.orch.io/v1/namespaces/default/networkpolicies',
    apiVersion: 'networking.orch.io/v1',
  },
  HorizontalPodAutoscaler: {
    path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    apiVersion: 'autoscaling/v2',
  },
} as const

const HPA1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers'

interface Row {
  readonly name: string
  readonly kind: keyof typeof kinds
  /** All but the last must succeed. */
  readonly steps: readonly Step[]
  /** What is looked at. */
  readonly see: (object: Json) => unknown
  readonly is: unknown
  readonly owners: readonly string[]
  /** Causes of the conflict that the last step meets. */
  readonly refused?: readonly string[]
}

let count = 0
const stories = (rows: readonly Row[]) => {
  for (const { name: title, kind, steps, see, is, owners, refused } of rows) {
    test(title, async () => {
      const name = `story-${++count}`
      const place = { ...kinds[kind], kind, name }
      const replies = []
      for (const step of steps) replies.push(await write(client, place, step))
      const last = replies.pop()!
      for (const reply of replies) expect(reply.status, reply.text).toBeLessThan(300)
      if (refused) {
        expect(last.status, last.text).toBe(409)
        const causes = last.body.details.causes.map(
          ({ message, field }: Json) => `${message.replace(/ at \S+/, '')} ${field}`,
        )
        expect(causes).toEqual(refused)
      } else expect(last.status, last.text).toBeLessThan(300)
      const { body } = await client.get(`${place.path}/${name}`)
      expect([see(body), brief(ownersOf(body, place.apiVersion))]).toEqual([is, owners])
    })
  }
}

/** A metric that version v1 has no field for, and the form in which its annotation carries it. */
const external = {
  type: 'External',
  external: {
    metric: { name: 'queue', selector: { matchLabels: { q: 'a' } } },
    target: { type: 'AverageValue', averageValue: '5' },
  },
}
const carried = {
  type: 'External',
  external: {
    metricName: 'queue',
    metricSelector: { matchLabels: { q: 'a' } },
    targetAverageValue: '5',
  },
}
const utilization = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}
const CARRIED = 'autoscaling.alpha.orch.io/metrics'

const SELECTOR = { matchLabels: { app: 'a' } }
/** A deployment whose pods have these containers and other fields. */
const pods = (spec: Json, rest: Json = {}) => ({
  spec: {
    selector: SELECTOR,
    template: { metadata: { labels: { app: 'a' } }, spec },
    ...rest,
  },
})
const only = (spec: Json) => ({ spec: { template: { spec } } })
const image = (name: string, tag = '1') => ({ name, image: `example.com/${name}:${tag}` })
const containersOf = (object: Json) =>
  object.spec.template.spec.containers.map((c: Json) => `${c.name}=${c.image.split(':')[1]}`)
/** Paths as people write them: `T` is the pod template's content, and an item's key `name` goes without saying. */
const brief = (owners: readonly string[]) =>
  owners.map((line) =>
    line
      .replaceAll('spec.template.spec.', 'T.')
      .replaceAll(/\[name="(\w+)"\]/g, '[$1]')
      .replaceAll(' spec.selector spec.template.metadata.labels.app', ' BASE'),
  )

const env = (...entries: readonly string[]) =>
  entries.map((entry) => {
    const [name, value] = entry.split('=')
    return { name, value }
  })
const withEnv = (...entries: readonly string[]) =>
  only({ containers: [{ name: 'x', env: env(...entries) }] })
const envOf = (object: Json) =>
  object.spec.template.spec.containers[0].env?.map((e: Json) => `${e.name}=${e.value ?? ''}`) ?? []
const ONE = pods({ containers: [image('x')] })

describe('items told apart by a key', () => {
  stories([
    {
      name: 'two managers have a container each',
      kind: 'Deployment',
      steps: [apply('a', ONE), apply('b', only({ containers: [image('y')] }))],
      see: containersOf,
      is: ['x=1', 'y=1'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b: T.containers[y] T.containers[y].image T.containers[y].name',
      ],
    },
    {
      name: 'an item goes with its only owner',
      kind: 'Deployment',
      steps: [apply('a', pods({ containers: [image('x'), image('y')] })), apply('a', ONE)],
      see: containersOf,
      is: ['x=1'],
      owners: ['a: BASE T.containers[x] T.containers[x].image T.containers[x].name'],
    },
    {
      name: 'an item stays with what another owns of it',
      kind: 'Deployment',
      steps: [
        apply('z', ONE),
        apply('a', withEnv('P=1', 'Q=2')),
        apply('b', only({ containers: [{ name: 'x', env: [{ name: 'P' }] }] })),
        apply('a', withEnv('Q=2')),
      ],
      see: envOf,
      is: ['P=', 'Q=2'],
      owners: [
        'a: T.containers[x] T.containers[x].env[Q] T.containers[x].env[Q].name T.containers[x].env[Q].value T.containers[x].name',
        'b: T.containers[x] T.containers[x].env[P] T.containers[x].env[P].name T.containers[x].name',
        'z: BASE T.containers[x] T.containers[x].image T.containers[x].name',
      ],
    },
    {
      name: 'an item that two have stays until both leave it',
      kind: 'Deployment',
      steps: [
        apply('a', pods({ containers: [image('x'), image('y')] })),
        apply('b', only({ containers: [image('y')] })),
        apply('a', ONE),
        apply('b', {}),
      ],
      see: containersOf,
      is: ['x=1'],
      owners: ['a: BASE T.containers[x] T.containers[x].image T.containers[x].name'],
    },
    {
      name: 'a field of an item in conflict',
      kind: 'Deployment',
      steps: [apply('a', ONE), apply('b', only({ containers: [image('x', '2')] }))],
      see: containersOf,
      is: ['x=1'],
      owners: ['a: BASE T.containers[x] T.containers[x].image T.containers[x].name'],
      refused: ['conflict with "a" .spec.template.spec.containers[name="x"].image'],
    },
    {
      name: 'a field of an item by force',
      kind: 'Deployment',
      steps: [apply('a', ONE), force('b', only({ containers: [image('x', '2')] }))],
      see: containersOf,
      is: ['x=2'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].name',
        'b: T.containers[x] T.containers[x].image T.containers[x].name',
      ],
    },
    {
      name: 'the applier may go on after the loss by force, with what it has',
      kind: 'Deployment',
      steps: [
        apply('a', ONE),
        force('b', only({ containers: [image('x', '2')] })),
        apply('a', pods({ containers: [{ name: 'x' }] })),
      ],
      see: containersOf,
      is: ['x=2'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].name',
        'b: T.containers[x] T.containers[x].image T.containers[x].name',
      ],
    },
    {
      name: 'another order alone is no change',
      kind: 'Deployment',
      steps: [
        apply('a', pods({ containers: [image('x'), image('y'), image('z')] })),
        apply('a', pods({ containers: [image('z'), image('x'), image('y')] })),
      ],
      see: containersOf,
      is: ['x=1', 'y=1', 'z=1'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name T.containers[y] T.containers[y].image T.containers[y].name T.containers[z] T.containers[z].image T.containers[z].name',
      ],
    },
    {
      name: 'with another change, order is that of the configuration',
      kind: 'Deployment',
      steps: [
        apply('a', pods({ containers: [image('x'), image('y'), image('z')] })),
        apply('a', pods({ containers: [image('z', '2'), image('x'), image('y')] })),
      ],
      see: containersOf,
      is: ['z=2', 'x=1', 'y=1'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name T.containers[y] T.containers[y].image T.containers[y].name T.containers[z] T.containers[z].image T.containers[z].name',
      ],
    },
    {
      name: 'new items come where the configuration has them, among those of others',
      kind: 'Deployment',
      steps: [
        apply('a', pods({ containers: [image('x'), image('z')] })),
        apply('b', only({ containers: [image('y'), image('z')] })),
      ],
      see: containersOf,
      is: ['x=1', 'y=1', 'z=1'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name T.containers[z] T.containers[z].image T.containers[z].name',
        'b: T.containers[y] T.containers[y].image T.containers[y].name T.containers[z] T.containers[z].image T.containers[z].name',
      ],
    },
    {
      name: 'nested: variables of a container of somebody else',
      kind: 'Deployment',
      steps: [apply('a', ONE), apply('b', withEnv('P=1', 'Q=2'))],
      see: envOf,
      is: ['P=1', 'Q=2'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b: T.containers[x] T.containers[x].env[P] T.containers[x].env[P].name T.containers[x].env[P].value T.containers[x].env[Q] T.containers[x].env[Q].name T.containers[x].env[Q].value T.containers[x].name',
      ],
    },
    {
      name: 'nested: a variable is left, the other stays',
      kind: 'Deployment',
      steps: [apply('a', ONE), apply('b', withEnv('P=1', 'Q=2')), apply('b', withEnv('Q=2'))],
      see: envOf,
      is: ['Q=2'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b: T.containers[x] T.containers[x].env[Q] T.containers[x].env[Q].name T.containers[x].env[Q].value T.containers[x].name',
      ],
    },
    {
      name: 'nested: variables of two managers',
      kind: 'Deployment',
      steps: [apply('a', ONE), apply('b', withEnv('P=1')), apply('c', withEnv('Q=2'))],
      see: envOf,
      is: ['P=1', 'Q=2'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b: T.containers[x] T.containers[x].env[P] T.containers[x].env[P].name T.containers[x].env[P].value T.containers[x].name',
        'c: T.containers[x] T.containers[x].env[Q] T.containers[x].env[Q].name T.containers[x].env[Q].value T.containers[x].name',
      ],
    },
    {
      name: 'nested: a variable in conflict',
      kind: 'Deployment',
      steps: [apply('a', ONE), apply('b', withEnv('P=1')), apply('c', withEnv('P=2', 'Q=2'))],
      see: envOf,
      is: ['P=1'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b: T.containers[x] T.containers[x].env[P] T.containers[x].env[P].name T.containers[x].env[P].value T.containers[x].name',
      ],
      refused: ['conflict with "b" .spec.template.spec.containers[name="x"].env[name="P"].value'],
    },
    {
      name: 'nested: all variables are left',
      kind: 'Deployment',
      steps: [apply('a', ONE), apply('b', withEnv('P=1')), apply('b', {})],
      see: envOf,
      is: [],
      owners: ['a: BASE T.containers[x] T.containers[x].image T.containers[x].name'],
    },
    {
      name: 'nested: what a patch removed is nobody’s',
      kind: 'Deployment',
      steps: [
        apply('a', ONE),
        apply('b', withEnv('P=1', 'Q=2')),
        {
          by: 'c',
          as: 'json',
          with: [{ op: 'remove', path: '/spec/template/spec/containers/0/env/0' }],
        },
      ],
      see: envOf,
      is: ['Q=2'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b: T.containers[x] T.containers[x].env[Q] T.containers[x].env[Q].name T.containers[x].env[Q].value T.containers[x].name',
      ],
    },
    {
      name: 'a patch that changes an item takes the field alone',
      kind: 'Deployment',
      steps: [
        apply('a', ONE),
        { by: 'b', as: 'strategic', with: only({ containers: [image('x', '2')] }) },
      ],
      see: containersOf,
      is: ['x=2'],
      owners: ['a: BASE T.containers[x] T.containers[x].name', 'b~: T.containers[x].image'],
    },
    {
      name: 'a patch that adds an item has it',
      kind: 'Deployment',
      steps: [
        apply('a', ONE),
        { by: 'b', as: 'strategic', with: only({ containers: [image('y')] }) },
      ],
      see: containersOf,
      is: ['y=1', 'x=1'],
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b~: T.containers[y] T.containers[y].image T.containers[y].imagePullPolicy T.containers[y].name T.containers[y].resources T.containers[y].terminationMessagePath T.containers[y].terminationMessagePolicy',
      ],
    },
    {
      name: 'what an update changed in an item goes with the item, which nobody else has',
      kind: 'Deployment',
      steps: [
        apply('a', pods({ containers: [image('x'), image('y')] })),
        { by: 'b', as: 'strategic', with: only({ containers: [{ name: 'y', tty: true }] }) },
        apply('a', ONE),
      ],
      see: (o) => o.spec.template.spec.containers.map((c: Json) => [c.name, c.tty]),
      is: [['x', undefined]],
      owners: ['a: BASE T.containers[x] T.containers[x].image T.containers[x].name'],
    },
    {
      name: 'owner references by uid',
      kind: 'ConfigMap',
      steps: [
        apply('a', {
          metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '1' }] },
        }),
        apply('b', {
          metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'q', uid: '2' }] },
        }),
        apply('a', {}),
      ],
      see: (o) => o.metadata.ownerReferences,
      is: [{ apiVersion: 'v1', kind: 'Pod', name: 'q', uid: '2' }],
      owners: ['b: metadata.ownerReferences[uid="2"]'],
    },
    {
      name: 'secrets of an account by name',
      kind: 'ServiceAccount',
      steps: [
        apply('a', { secrets: [{ name: 's' }, { name: 't' }] }),
        apply('b', { secrets: [{ name: 't' }] }),
        apply('a', { secrets: [{ name: 's' }] }),
      ],
      see: (o) => o.secrets,
      is: [{ name: 's' }, { name: 't' }],
      owners: ['a: secrets[s]', 'b: secrets[t]'],
    },
  ])
})

const service = (...ports: readonly Json[]) => ({ spec: { selector: { a: 'b' }, ports } })
const portsOf = (o: Json) =>
  o.spec.ports.map((p: Json) => `${p.name ?? ''}:${p.port}/${p.protocol}>${p.targetPort}`)

describe('keys with defaults', () => {
  stories([
    {
      name: 'a key that is left out counts as its default',
      kind: 'Service',
      steps: [apply('a', service({ port: 80 }))],
      see: portsOf,
      is: [':80/TCP>80'],
      owners: [
        'a: spec.ports[port=80,protocol="TCP"] spec.ports[port=80,protocol="TCP"].port spec.selector',
      ],
    },
    {
      name: 'said or not, it is the same item',
      kind: 'Service',
      steps: [
        apply('a', service({ port: 80 })),
        apply('b', service({ port: 80, protocol: 'TCP' })),
      ],
      see: portsOf,
      is: [':80/TCP>80'],
      owners: [
        'a: spec.ports[port=80,protocol="TCP"] spec.ports[port=80,protocol="TCP"].port spec.selector',
        'b: spec.ports[port=80,protocol="TCP"] spec.ports[port=80,protocol="TCP"].port spec.ports[port=80,protocol="TCP"].protocol spec.selector',
      ],
    },
    {
      name: 'another value of the key is another item',
      kind: 'Service',
      steps: [
        apply('a', service({ name: 't', port: 53 })),
        apply('b', service({ name: 'u', port: 53, protocol: 'UDP' })),
      ],
      see: portsOf,
      is: ['t:53/TCP>53', 'u:53/UDP>53'],
      owners: [
        'a: spec.ports[port=53,protocol="TCP"] spec.ports[port=53,protocol="TCP"].name spec.ports[port=53,protocol="TCP"].port spec.selector',
        'b: spec.ports[port=53,protocol="UDP"] spec.ports[port=53,protocol="UDP"].name spec.ports[port=53,protocol="UDP"].port spec.ports[port=53,protocol="UDP"].protocol spec.selector',
      ],
    },
    {
      name: 'a field of the item in conflict',
      kind: 'Service',
      steps: [
        apply('a', service({ port: 80, targetPort: 1 })),
        apply('b', service({ port: 80, targetPort: 2 })),
      ],
      see: portsOf,
      is: [':80/TCP>1'],
      owners: [
        'a: spec.ports[port=80,protocol="TCP"] spec.ports[port=80,protocol="TCP"].port spec.ports[port=80,protocol="TCP"].targetPort spec.selector',
      ],
      refused: ['conflict with "a" .spec.ports[port=80,protocol="TCP"].targetPort'],
    },
    {
      name: 'the item goes with its owner',
      kind: 'Service',
      steps: [
        apply('a', service({ name: 't', port: 53 }, { name: 'u', port: 53, protocol: 'UDP' })),
        apply('a', service({ name: 'u', port: 53, protocol: 'UDP' })),
      ],
      see: portsOf,
      is: ['u:53/UDP>53'],
      owners: [
        'a: spec.ports[port=53,protocol="UDP"] spec.ports[port=53,protocol="UDP"].name spec.ports[port=53,protocol="UDP"].port spec.ports[port=53,protocol="UDP"].protocol spec.selector',
      ],
    },
    {
      name: 'ports of containers',
      kind: 'Deployment',
      steps: [
        apply('a', pods({ containers: [{ ...image('x'), ports: [{ containerPort: 80 }] }] })),
        apply(
          'b',
          only({ containers: [{ name: 'x', ports: [{ containerPort: 80, protocol: 'UDP' }] }] }),
        ),
        apply('a', ONE),
      ],
      see: (o) => o.spec.template.spec.containers[0].ports,
      is: [{ containerPort: 80, protocol: 'UDP' }],
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b: T.containers[x] T.containers[x].name T.containers[x].ports[containerPort=80,protocol="UDP"] T.containers[x].ports[containerPort=80,protocol="UDP"].containerPort T.containers[x].ports[containerPort=80,protocol="UDP"].protocol',
      ],
    },
    {
      name: 'the number changes: another item',
      kind: 'Service',
      steps: [apply('a', service({ port: 80 })), apply('a', service({ port: 81 }))],
      see: portsOf,
      is: [':81/TCP>81'],
      owners: [
        'a: spec.ports[port=81,protocol="TCP"] spec.ports[port=81,protocol="TCP"].port spec.selector',
      ],
    },
  ])
})

const finalizers = (...names: readonly string[]) => ({
  metadata: { finalizers: names.map((n) => `x.y/${n}`) },
})
const finalizersOf = (o: Json) => o.metadata.finalizers?.map((f: string) => f.slice(4)) ?? []

describe('sets', () => {
  stories([
    {
      name: 'members of two managers',
      kind: 'ConfigMap',
      steps: [apply('a', finalizers('p')), apply('b', finalizers('q'))],
      see: finalizersOf,
      is: ['p', 'q'],
      owners: ['a: metadata.finalizers[="x.y/p"]', 'b: metadata.finalizers[="x.y/q"]'],
    },
    {
      name: 'a member is left',
      kind: 'ConfigMap',
      steps: [apply('a', finalizers('p', 'q')), apply('a', finalizers('q'))],
      see: finalizersOf,
      is: ['q'],
      owners: ['a: metadata.finalizers[="x.y/q"]'],
    },
    {
      name: 'a member that both have is left by one',
      kind: 'ConfigMap',
      steps: [
        apply('a', finalizers('p', 'q')),
        apply('b', finalizers('q', 'r')),
        apply('a', finalizers('p')),
      ],
      see: finalizersOf,
      is: ['p', 'q', 'r'],
      owners: [
        'a: metadata.finalizers[="x.y/p"]',
        'b: metadata.finalizers[="x.y/q"] metadata.finalizers[="x.y/r"]',
      ],
    },
    {
      name: 'members are never in conflict',
      kind: 'ConfigMap',
      steps: [apply('a', finalizers('p')), apply('b', finalizers('q', 'p'))],
      see: finalizersOf,
      is: ['q', 'p'],
      owners: [
        'a: metadata.finalizers[="x.y/p"]',
        'b: metadata.finalizers[="x.y/p"] metadata.finalizers[="x.y/q"]',
      ],
    },
    {
      name: 'a patch that takes a member away',
      kind: 'ConfigMap',
      steps: [apply('a', finalizers('p', 'q')), merge('b', finalizers('q'))],
      see: finalizersOf,
      is: ['q'],
      owners: ['a: metadata.finalizers[="x.y/q"]'],
    },
    {
      name: 'a patch that adds a member',
      kind: 'ConfigMap',
      steps: [apply('a', finalizers('p')), merge('b', finalizers('p', 'q')), apply('a', {})],
      see: finalizersOf,
      is: ['q'],
      owners: ['b~: metadata.finalizers[="x.y/q"]'],
    },
    {
      name: 'all members are left',
      kind: 'ConfigMap',
      steps: [apply('a', finalizers('p', 'q')), apply('a', {})],
      see: finalizersOf,
      is: [],
      owners: [],
    },
    {
      name: 'scalars that are no set: one value',
      kind: 'Service',
      steps: [
        apply('a', { spec: { ports: [{ port: 80 }], externalIPs: ['192.0.2.1'] } }),
        apply('b', { spec: { externalIPs: ['192.0.2.1', '192.0.2.2'] } }),
      ],
      see: (o) => o.spec.externalIPs,
      is: ['192.0.2.1'],
      owners: [
        'a: spec.externalIPs spec.ports[port=80,protocol="TCP"] spec.ports[port=80,protocol="TCP"].port',
      ],
      refused: ['conflict with "a" .spec.externalIPs'],
    },
  ])
})

describe('values that are owned as one', () => {
  const tolerate = (...keys: readonly string[]) =>
    only({ tolerations: keys.map((key) => ({ key, operator: 'Exists' })) })
  const tolerated = (o: Json) => o.spec.template.spec.tolerations?.map((t: Json) => t.key) ?? []
  stories([
    {
      name: 'a list: another may set the same',
      kind: 'Deployment',
      steps: [apply('z', ONE), apply('a', tolerate('p')), apply('b', tolerate('p'))],
      see: tolerated,
      is: ['p'],
      owners: [
        'a: T.tolerations',
        'b: T.tolerations',
        'z: BASE T.containers[x] T.containers[x].image T.containers[x].name',
      ],
    },
    {
      name: 'a list: one more item is a conflict',
      kind: 'Deployment',
      steps: [apply('z', ONE), apply('a', tolerate('p')), apply('b', tolerate('p', 'q'))],
      see: tolerated,
      is: ['p'],
      owners: [
        'a: T.tolerations',
        'z: BASE T.containers[x] T.containers[x].image T.containers[x].name',
      ],
      refused: ['conflict with "a" .spec.template.spec.tolerations'],
    },
    {
      name: 'a list: force takes all of it',
      kind: 'Deployment',
      steps: [apply('z', ONE), apply('a', tolerate('p')), force('b', tolerate('q'))],
      see: tolerated,
      is: ['q'],
      owners: [
        'b: T.tolerations',
        'z: BASE T.containers[x] T.containers[x].image T.containers[x].name',
      ],
    },
    {
      name: 'a list: its owner may change it',
      kind: 'Deployment',
      steps: [apply('z', ONE), apply('a', tolerate('p')), apply('a', tolerate('q', 'p'))],
      see: tolerated,
      is: ['q', 'p'],
      owners: [
        'a: T.tolerations',
        'z: BASE T.containers[x] T.containers[x].image T.containers[x].name',
      ],
    },
    {
      name: 'a list: its owner leaves it',
      kind: 'Deployment',
      steps: [apply('z', ONE), apply('a', tolerate('p')), apply('a', {})],
      see: tolerated,
      is: [],
      owners: ['z: BASE T.containers[x] T.containers[x].image T.containers[x].name'],
    },
    {
      name: 'a map: the selector of a service',
      kind: 'Service',
      steps: [
        apply('a', { spec: { ports: [{ port: 80 }], selector: { p: '1' } } }),
        apply('b', { spec: { selector: { q: '1' } } }),
      ],
      see: (o) => o.spec.selector,
      is: { p: '1' },
      owners: [
        'a: spec.ports[port=80,protocol="TCP"] spec.ports[port=80,protocol="TCP"].port spec.selector',
      ],
      refused: ['conflict with "a" .spec.selector'],
    },
    {
      name: 'a map: by force it is replaced whole',
      kind: 'Service',
      steps: [
        apply('a', { spec: { ports: [{ port: 80 }], selector: { p: '1' } } }),
        force('b', { spec: { selector: { q: '1' } } }),
      ],
      see: (o) => o.spec.selector,
      is: { q: '1' },
      owners: [
        'a: spec.ports[port=80,protocol="TCP"] spec.ports[port=80,protocol="TCP"].port',
        'b: spec.selector',
      ],
    },
    {
      name: 'a map: a patch of one key takes all of it',
      kind: 'Service',
      steps: [
        apply('a', { spec: { ports: [{ port: 80 }], selector: { p: '1' } } }),
        merge('b', { spec: { selector: { q: '1' } } }),
      ],
      see: (o) => o.spec.selector,
      is: { p: '1', q: '1' },
      owners: [
        'a: spec.ports[port=80,protocol="TCP"] spec.ports[port=80,protocol="TCP"].port',
        'b~: spec.selector',
      ],
    },
    {
      name: 'an object: the reference of a variable',
      kind: 'Deployment',
      steps: [
        apply('z', ONE),
        apply(
          'a',
          only({
            containers: [
              {
                name: 'x',
                env: [{ name: 'P', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
              },
            ],
          }),
        ),
        apply(
          'b',
          only({
            containers: [
              {
                name: 'x',
                env: [{ name: 'P', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } }],
              },
            ],
          }),
        ),
      ],
      see: (o) => o.spec.template.spec.containers[0].env,
      is: [
        { name: 'P', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      ],
      owners: [
        'a: T.containers[x] T.containers[x].env[P] T.containers[x].env[P].name T.containers[x].env[P].valueFrom.fieldRef T.containers[x].name',
        'z: BASE T.containers[x] T.containers[x].image T.containers[x].name',
      ],
      refused: [
        'conflict with "a" .spec.template.spec.containers[name="x"].env[name="P"].valueFrom.fieldRef',
      ],
    },
    {
      name: 'a selector of labels',
      kind: 'NetworkPolicy',
      steps: [
        apply('a', { spec: { podSelector: { matchLabels: { p: '1' } } } }),
        apply('b', { spec: { podSelector: { matchLabels: { q: '1' } } } }),
      ],
      see: (o) => o.spec.podSelector,
      is: { matchLabels: { p: '1' } },
      owners: ['a: spec.podSelector'],
      refused: ['conflict with "a" .spec.podSelector'],
    },
    {
      name: 'rules of a policy are one list',
      kind: 'NetworkPolicy',
      steps: [
        apply('a', { spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] } }),
        force('b', { spec: { egress: [{ ports: [{ port: 54 }] }] } }),
      ],
      see: (o) => o.spec.egress,
      is: [{ ports: [{ protocol: 'TCP', port: 54 }] }],
      owners: ['a: spec.podSelector', 'b: spec.egress'],
    },
    {
      name: 'a node selector',
      kind: 'Deployment',
      steps: [
        apply('z', ONE),
        apply('a', only({ nodeSelector: { p: '1' } })),
        apply('b', only({ nodeSelector: { q: '1' } })),
      ],
      see: (o) => o.spec.template.spec.nodeSelector,
      is: { p: '1' },
      owners: [
        'a: T.nodeSelector',
        'z: BASE T.containers[x] T.containers[x].image T.containers[x].name',
      ],
      refused: ['conflict with "a" .spec.template.spec.nodeSelector'],
    },
  ])
})

describe('labels, annotations and maps of quantities', () => {
  const limits = (of: Json) => only({ containers: [{ name: 'x', resources: { limits: of } }] })
  stories([
    {
      name: 'labels of two managers',
      kind: 'ConfigMap',
      steps: [
        apply('a', { metadata: { labels: { p: '1' } } }),
        apply('b', { metadata: { labels: { q: '1' }, annotations: { r: '1' } } }),
        apply('a', {}),
      ],
      see: (o) => [o.metadata.labels, o.metadata.annotations],
      is: [{ q: '1' }, { r: '1' }],
      owners: ['b: metadata.annotations.r metadata.labels.q'],
    },
    {
      name: 'a label in conflict',
      kind: 'ConfigMap',
      steps: [
        apply('a', { metadata: { labels: { p: '1' } } }),
        apply('b', { metadata: { labels: { p: '2' } } }),
      ],
      see: (o) => o.metadata.labels,
      is: { p: '1' },
      owners: ['a: metadata.labels.p'],
      refused: ['conflict with "a" .metadata.labels.p'],
    },
    {
      name: 'quantities by name',
      kind: 'Deployment',
      steps: [
        apply('z', ONE),
        apply('a', limits({ cpu: '1' })),
        apply('b', limits({ memory: '1Gi' })),
      ],
      see: (o) => o.spec.template.spec.containers[0].resources,
      is: { limits: { cpu: '1', memory: '1Gi' } },
      owners: [
        'a: T.containers[x] T.containers[x].name T.containers[x].resources.limits.cpu',
        'b: T.containers[x] T.containers[x].name T.containers[x].resources.limits.memory',
        'z: BASE T.containers[x] T.containers[x].image T.containers[x].name',
      ],
    },
    {
      name: 'a quantity spelled otherwise: its own owner',
      kind: 'Deployment',
      steps: [
        apply('z', ONE),
        apply('a', limits({ cpu: '1' })),
        apply('a', limits({ cpu: '1000m' })),
      ],
      see: (o) => o.spec.template.spec.containers[0].resources,
      is: { limits: { cpu: '1' } },
      owners: [
        'a: T.containers[x] T.containers[x].name T.containers[x].resources.limits.cpu',
        'z: BASE T.containers[x] T.containers[x].image T.containers[x].name',
      ],
    },
    {
      name: 'data that is binary',
      kind: 'ConfigMap',
      steps: [apply('a', { binaryData: { p: 'AA==' } }), apply('b', { binaryData: { q: 'AQ==' } })],
      see: (o) => o.binaryData,
      is: { p: 'AA==', q: 'AQ==' },
      owners: ['a: binaryData.p', 'b: binaryData.q'],
    },
    {
      name: 'an empty object as a value',
      kind: 'Deployment',
      steps: [
        apply('z', ONE),
        apply('a', only({ volumes: [{ name: 'v', emptyDir: {} }] })),
        apply('b', only({ volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }] })),
      ],
      see: (o) => o.spec.template.spec.volumes,
      is: [{ name: 'v', emptyDir: { medium: 'Memory' } }],
      owners: [
        'a: T.volumes[v] T.volumes[v].emptyDir T.volumes[v].name',
        'b: T.volumes[v] T.volumes[v].emptyDir.medium T.volumes[v].name',
        'z: BASE T.containers[x] T.containers[x].image T.containers[x].name',
      ],
    },
  ])
})

describe('defaults', () => {
  stories([
    {
      name: 'nobody owns what the server filled in',
      kind: 'Deployment',
      steps: [apply('a', ONE)],
      see: (o) => [o.spec.replicas, o.spec.strategy.type],
      is: [1, 'RollingUpdate'],
      owners: ['a: BASE T.containers[x] T.containers[x].image T.containers[x].name'],
    },
    {
      name: 'an applier may set what was filled in',
      kind: 'Deployment',
      steps: [apply('a', ONE), apply('b', { spec: { replicas: 3 } })],
      see: (o) => o.spec.replicas,
      is: 3,
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b: spec.replicas',
      ],
    },
    {
      name: 'what is left falls back to the default',
      kind: 'Deployment',
      steps: [apply('a', ONE), apply('b', { spec: { replicas: 3 } }), apply('b', {})],
      see: (o) => o.spec.replicas,
      is: 1,
      owners: ['a: BASE T.containers[x] T.containers[x].image T.containers[x].name'],
    },
    {
      name: 'who creates otherwise owns the defaults too',
      kind: 'ServiceAccount',
      steps: [{ by: 'a', as: 'create', with: { secrets: [{ name: 's' }] } }],
      see: (o) => o.secrets,
      is: [{ name: 's' }],
      owners: ['a~: secrets secrets[s]'],
    },
    {
      name: 'a deployment that was posted',
      kind: 'Deployment',
      steps: [{ by: 'a', as: 'create', with: ONE }],
      see: containersOf,
      is: ['x=1'],
      owners: [
        'a~: spec.progressDeadlineSeconds spec.replicas spec.revisionHistoryLimit spec.selector spec.strategy.rollingUpdate spec.strategy.rollingUpdate.maxSurge spec.strategy.rollingUpdate.maxUnavailable spec.strategy.type spec.template.metadata.labels spec.template.metadata.labels.app T.containers[x] T.containers[x].image T.containers[x].imagePullPolicy T.containers[x].name T.containers[x].resources T.containers[x].terminationMessagePath T.containers[x].terminationMessagePolicy T.dnsPolicy T.restartPolicy T.schedulerName T.securityContext T.terminationGracePeriodSeconds',
      ],
    },
  ])
})

describe('writes of other sorts', () => {
  stories([
    {
      name: 'an object that was created, then applied by another',
      kind: 'ConfigMap',
      steps: [
        { by: 'a', as: 'create', with: { data: { x: '1' } } },
        apply('b', { data: { x: '1', y: '1' } }),
      ],
      see: (o) => o.data,
      is: { x: '1', y: '1' },
      owners: ['a~: data data.x', 'b: data.x data.y'],
    },
    {
      name: 'an object that was created, then applied otherwise',
      kind: 'ConfigMap',
      steps: [
        { by: 'a', as: 'create', with: { data: { x: '1' } } },
        apply('b', { data: { x: '2' } }),
      ],
      see: (o) => o.data,
      is: { x: '1' },
      owners: ['a~: data data.x'],
      refused: ['conflict with "a" using v1 .data.x'],
    },
    {
      name: 'a put that leaves a field out takes it from all',
      kind: 'ConfigMap',
      steps: [
        apply('a', { data: { x: '1', y: '1' } }),
        { by: 'b', as: 'put', with: { data: { y: '1' } } },
      ],
      see: (o) => o.data,
      is: { y: '1' },
      owners: ['a: data.y'],
    },
    {
      name: 'a put of the same takes nothing',
      kind: 'ConfigMap',
      steps: [apply('a', { data: { x: '1' } }), { by: 'b', as: 'put', with: { data: { x: '1' } } }],
      see: (o) => o.data,
      is: { x: '1' },
      owners: ['a: data.x'],
    },
    {
      name: 'entries are cleared by one empty entry',
      kind: 'ConfigMap',
      steps: [apply('a', { data: { x: '1' } }), merge('b', { metadata: { managedFields: [{}] } })],
      see: (o) => o.data,
      is: { x: '1' },
      owners: [],
    },
    {
      name: 'entries are cleared by one empty entry, and what the request changes is its own',
      kind: 'ConfigMap',
      steps: [
        apply('a', { data: { x: '1' } }),
        merge('b', { metadata: { managedFields: [{}] }, data: { y: '1' } }),
      ],
      see: (o) => o.data,
      is: { x: '1', y: '1' },
      owners: ['b~: data.y'],
    },
    {
      name: 'entries are cleared by a JSON patch too',
      kind: 'ConfigMap',
      steps: [
        apply('a', { data: { x: '1' } }),
        {
          by: 'b',
          as: 'json',
          with: [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }],
        },
      ],
      see: (o) => o.data,
      is: { x: '1' },
      owners: [],
    },
    {
      name: 'an empty list clears nothing',
      kind: 'ConfigMap',
      steps: [apply('a', { data: { x: '1' } }), merge('b', { metadata: { managedFields: [] } })],
      see: (o) => o.data,
      is: { x: '1' },
      owners: ['a: data.x'],
    },
    {
      name: 'null clears nothing',
      kind: 'ConfigMap',
      steps: [apply('a', { data: { x: '1' } }), merge('b', { metadata: { managedFields: null } })],
      see: (o) => o.data,
      is: { x: '1' },
      owners: ['a: data.x'],
    },
    {
      name: 'an object without entries: the first apply makes one for all there was',
      kind: 'ConfigMap',
      steps: [
        apply('a', { data: { x: '1' } }),
        merge('b', { metadata: { managedFields: [{}] } }),
        apply('c', { data: { y: '1' } }),
      ],
      see: (o) => o.data,
      is: { x: '1', y: '1' },
      owners: ['before-first-apply~: data data.x', 'c: data.y'],
    },
    {
      name: 'an object without entries: updates do not begin them',
      kind: 'ConfigMap',
      steps: [
        apply('a', { data: { x: '1' } }),
        merge('b', { metadata: { managedFields: [{}] } }),
        merge('c', { data: { y: '1' } }),
      ],
      see: (o) => o.data,
      is: { x: '1', y: '1' },
      owners: [],
    },
    {
      name: 'an object without entries: the first apply conflicts with all there was',
      kind: 'ConfigMap',
      steps: [
        apply('a', { data: { x: '1' } }),
        merge('b', { metadata: { managedFields: [{}] } }),
        apply('a', { data: { x: '2' } }),
      ],
      see: (o) => o.data,
      is: { x: '1' },
      owners: [],
      refused: ['conflict with "before-first-apply" using v1 .data.x'],
    },
    {
      name: 'entries that make no sense leave the present ones',
      kind: 'ConfigMap',
      steps: [
        apply('a', { data: { x: '1' } }),
        merge('b', {
          metadata: {
            managedFields: [{ manager: 'm', operation: 'Steal', fieldsType: 'FieldsV1' }],
          },
          data: { y: '1' },
        }),
      ],
      see: (o) => o.data,
      is: { x: '1', y: '1' },
      owners: ['a: data.x', 'b~: data.y'],
    },
    {
      name: 'entries that the client wrote count',
      kind: 'ConfigMap',
      steps: [
        apply('a', { data: { x: '1' } }),
        merge('b', {
          metadata: {
            managedFields: [
              {
                manager: 'm',
                operation: 'Apply',
                apiVersion: 'v1',
                fieldsType: 'FieldsV1',
                fieldsV1: { 'f:data': { 'f:x': {} } },
              },
            ],
          },
        }),
      ],
      see: (o) => o.data,
      is: { x: '1' },
      owners: ['m: data.x'],
    },
    {
      name: 'an object that comes with entries: who creates it owns it all the same',
      kind: 'ConfigMap',
      steps: [
        {
          by: 'b',
          as: 'create',
          with: {
            data: { x: '1', y: '1' },
            metadata: {
              managedFields: [
                {
                  manager: 'm',
                  operation: 'Apply',
                  apiVersion: 'v1',
                  fieldsType: 'FieldsV1',
                  fieldsV1: { 'f:data': { 'f:x': {} } },
                },
              ],
            },
          },
        },
      ],
      see: (o) => o.data,
      is: { x: '1', y: '1' },
      owners: ['b~: data data.x data.y'],
    },
    {
      name: 'a dry run leaves everything',
      kind: 'ConfigMap',
      steps: [
        apply('a', { data: { x: '1' } }),
        force('b', { data: { x: '2' } }, { query: '&dryRun=All' }),
      ],
      see: (o) => o.data,
      is: { x: '1' },
      owners: ['a: data.x'],
    },
  ])
})

const NODE = { spec: { podCIDR: '10.1.0.0/24' } }
const condition = (type: string, status = 'True') => ({
  status: { conditions: [{ type, status }] },
})
const conditionsOf = (o: Json) =>
  (o.status?.conditions ?? []).map((c: Json) => `${c.type}=${c.status}`)

describe('sub-resources', () => {
  stories([
    {
      name: 'the status is owned through its own path',
      kind: 'Node',
      steps: [apply('a', NODE), apply('b', condition('Ready'), { sub: 'status' })],
      see: conditionsOf,
      is: ['Ready=True'],
      owners: [
        'a: spec.podCIDR',
        'b/status: status.conditions[type="Ready"] status.conditions[type="Ready"].status status.conditions[type="Ready"].type',
      ],
    },
    {
      name: 'the status in an apply of the object is nobody’s',
      kind: 'Node',
      steps: [apply('a', { ...NODE, ...condition('Ready') })],
      see: conditionsOf,
      is: ['Ready=True'],
      owners: ['a: spec.podCIDR'],
    },
    {
      name: 'the spec in an apply of the status is nobody’s',
      kind: 'Node',
      steps: [
        apply('a', NODE),
        apply('b', { spec: { unschedulable: true }, ...condition('Ready') }, { sub: 'status' }),
      ],
      see: (o) => [o.spec.unschedulable, conditionsOf(o)],
      is: [undefined, ['Ready=True']],
      owners: [
        'a: spec.podCIDR',
        'b/status: status.conditions[type="Ready"] status.conditions[type="Ready"].status status.conditions[type="Ready"].type',
      ],
    },
    {
      name: 'one manager on both paths has two entries',
      kind: 'Node',
      steps: [
        apply('a', NODE),
        apply('a', condition('Ready'), { sub: 'status' }),
        apply('a', NODE),
      ],
      see: conditionsOf,
      is: ['Ready=True'],
      owners: [
        'a/status: status.conditions[type="Ready"] status.conditions[type="Ready"].status status.conditions[type="Ready"].type',
        'a: spec.podCIDR',
      ],
    },
    {
      name: 'conditions of two managers',
      kind: 'Node',
      steps: [
        apply('a', NODE),
        apply('b', condition('Ready'), { sub: 'status' }),
        apply('c', condition('Warm'), { sub: 'status' }),
        apply('b', {}, { sub: 'status' }),
      ],
      see: conditionsOf,
      is: ['Warm=True'],
      owners: [
        'a: spec.podCIDR',
        'c/status: status.conditions[type="Warm"] status.conditions[type="Warm"].status status.conditions[type="Warm"].type',
      ],
    },
    {
      name: 'a condition in conflict',
      kind: 'Node',
      steps: [
        apply('a', NODE),
        merge('b', condition('Ready'), { sub: 'status' }),
        apply('c', condition('Ready', 'False'), { sub: 'status' }),
      ],
      see: conditionsOf,
      is: ['Ready=True'],
      owners: [
        'a: spec.podCIDR',
        'b~/status: status.conditions status.conditions[type="Ready"] status.conditions[type="Ready"].lastHeartbeatTime status.conditions[type="Ready"].lastTransitionTime status.conditions[type="Ready"].status status.conditions[type="Ready"].type',
      ],
      refused: [
        'conflict with "b" with subresource "status" using v1 .status.conditions[type="Ready"].status',
      ],
    },
    {
      name: 'a condition by force',
      kind: 'Node',
      steps: [
        apply('a', NODE),
        merge('b', condition('Ready'), { sub: 'status' }),
        force('c', condition('Ready', 'False'), { sub: 'status' }),
      ],
      see: conditionsOf,
      is: ['Ready=False'],
      owners: [
        'a: spec.podCIDR',
        'b~/status: status.conditions status.conditions[type="Ready"] status.conditions[type="Ready"].lastHeartbeatTime status.conditions[type="Ready"].lastTransitionTime status.conditions[type="Ready"].type',
        'c/status: status.conditions[type="Ready"] status.conditions[type="Ready"].status status.conditions[type="Ready"].type',
      ],
    },
    {
      name: 'a patch of the status',
      kind: 'Node',
      steps: [apply('a', NODE), merge('b', condition('Ready'), { sub: 'status' })],
      see: conditionsOf,
      is: ['Ready=True'],
      owners: [
        'a: spec.podCIDR',
        'b~/status: status.conditions status.conditions[type="Ready"] status.conditions[type="Ready"].lastHeartbeatTime status.conditions[type="Ready"].lastTransitionTime status.conditions[type="Ready"].status status.conditions[type="Ready"].type',
      ],
    },
    {
      name: 'entries in the body of a status are not looked at',
      kind: 'Node',
      steps: [
        apply('a', NODE),
        merge('b', { metadata: { managedFields: [{}] }, ...condition('Ready') }, { sub: 'status' }),
      ],
      see: conditionsOf,
      is: ['Ready=True'],
      owners: [
        'a: spec.podCIDR',
        'b~/status: status.conditions status.conditions[type="Ready"] status.conditions[type="Ready"].lastHeartbeatTime status.conditions[type="Ready"].lastTransitionTime status.conditions[type="Ready"].status status.conditions[type="Ready"].type',
      ],
    },
    {
      name: 'replicas by scale',
      kind: 'Deployment',
      steps: [apply('a', ONE), merge('b', { spec: { replicas: 4 } }, { sub: 'scale' })],
      see: (o) => o.spec.replicas,
      is: 4,
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b~/scale: spec.replicas',
      ],
    },
    {
      name: 'replicas by scale, in conflict with who applied them',
      kind: 'Deployment',
      steps: [
        apply('a', { spec: { ...ONE.spec, replicas: 2 } }),
        apply(
          'b',
          { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 4 } },
          { sub: 'scale' },
        ),
      ],
      see: (o) => o.spec.replicas,
      is: 2,
      owners: ['a: spec.replicas BASE T.containers[x] T.containers[x].image T.containers[x].name'],
      refused: ['conflict with "a" .spec.replicas'],
    },
    {
      name: 'replicas by an apply of the scale',
      kind: 'Deployment',
      steps: [
        apply('a', ONE),
        apply(
          'b',
          { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 4 } },
          { sub: 'scale' },
        ),
      ],
      see: (o) => o.spec.replicas,
      is: 4,
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b/scale: spec.replicas',
      ],
    },
    {
      name: 'replicas by an apply of the scale, by force',
      kind: 'Deployment',
      steps: [
        apply('a', { spec: { ...ONE.spec, replicas: 2 } }),
        force(
          'b',
          { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 4 } },
          { sub: 'scale' },
        ),
      ],
      see: (o) => o.spec.replicas,
      is: 4,
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b/scale: spec.replicas',
      ],
    },
    {
      name: 'replicas handed over: who scales has them, who applied leaves them',
      kind: 'Deployment',
      steps: [
        apply('a', { spec: { ...ONE.spec, replicas: 2 } }),
        merge('b', { spec: { replicas: 4 } }, { sub: 'scale' }),
        apply('a', ONE),
      ],
      see: (o) => o.spec.replicas,
      is: 4,
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'b~/scale: spec.replicas',
      ],
    },
    {
      name: 'replicas handed over by another manager of the same value',
      kind: 'Deployment',
      steps: [
        apply('a', { spec: { ...ONE.spec, replicas: 2 } }),
        apply('handover', { spec: { replicas: 2 } }),
        apply('a', ONE),
        merge('scaler', { spec: { replicas: 5 } }, { sub: 'scale' }),
      ],
      see: (o) => o.spec.replicas,
      is: 5,
      owners: [
        'a: BASE T.containers[x] T.containers[x].image T.containers[x].name',
        'scaler~/scale: spec.replicas',
      ],
    },
    {
      name: 'an apply of the scale that leaves the number',
      kind: 'Deployment',
      steps: [
        apply('a', ONE),
        apply(
          'b',
          { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 4 } },
          { sub: 'scale' },
        ),
        apply('b', { apiVersion: 'autoscaling/v1', kind: 'Scale' }, { sub: 'scale' }),
      ],
      see: (o) => o.spec.replicas,
      is: 1,
      owners: ['a: BASE T.containers[x] T.containers[x].image T.containers[x].name'],
    },
  ])
})

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }
const v1 = (spec: Json) => ({ apiVersion: 'autoscaling/v1', spec })

describe('several versions', () => {
  stories([
    {
      name: 'each apply is in its own version',
      kind: 'HorizontalPodAutoscaler',
      steps: [
        apply('a', { spec: { scaleTargetRef: target, maxReplicas: 5 } }),
        apply('b', v1({ minReplicas: 2 }), { at: HPA1 }),
      ],
      see: (o) => [o.spec.minReplicas, o.spec.maxReplicas],
      is: [2, 5],
      owners: [
        'a: spec.maxReplicas spec.scaleTargetRef.apiVersion spec.scaleTargetRef.kind spec.scaleTargetRef.name',
        'b@autoscaling/v1: spec.minReplicas',
      ],
    },
    {
      name: 'a conflict between versions',
      kind: 'HorizontalPodAutoscaler',
      steps: [
        apply('a', { spec: { scaleTargetRef: target, maxReplicas: 5 } }),
        apply('b', v1({ maxReplicas: 6 }), { at: HPA1 }),
      ],
      see: (o) => o.spec.maxReplicas,
      is: 5,
      owners: [
        'a: spec.maxReplicas spec.scaleTargetRef.apiVersion spec.scaleTargetRef.kind spec.scaleTargetRef.name',
      ],
      refused: ['conflict with "a" .spec.maxReplicas'],
    },
    {
      name: 'one manager that changes the version',
      kind: 'HorizontalPodAutoscaler',
      steps: [
        apply('a', { spec: { scaleTargetRef: target, maxReplicas: 5, minReplicas: 2 } }),
        apply('a', v1({ scaleTargetRef: target, maxReplicas: 6 }), { at: HPA1 }),
      ],
      see: (o) => [o.spec.minReplicas, o.spec.maxReplicas],
      is: [1, 6],
      owners: ['a@autoscaling/v1: spec.maxReplicas spec.scaleTargetRef'],
    },
    {
      name: 'one manager that goes on in version v1 without its metrics',
      kind: 'HorizontalPodAutoscaler',
      steps: [
        apply('a', { spec: { scaleTargetRef: target, maxReplicas: 5, metrics: [external] } }),
        apply('a', v1({ scaleTargetRef: target, maxReplicas: 6 }), { at: HPA1 }),
      ],
      see: (o) => [o.spec.maxReplicas, o.spec.metrics, o.metadata.annotations],
      // Fields that were applied before and are not now are removed, and the default takes their place.
      is: [6, [utilization], undefined],
      owners: ['a@autoscaling/v1: spec.maxReplicas spec.scaleTargetRef'],
    },
    {
      name: 'one manager that goes on in version v1 with its metrics in the annotation',
      kind: 'HorizontalPodAutoscaler',
      steps: [
        apply('a', { spec: { scaleTargetRef: target, maxReplicas: 5, metrics: [external] } }),
        apply(
          'a',
          {
            ...v1({ scaleTargetRef: target, maxReplicas: 6 }),
            metadata: { annotations: { [CARRIED]: JSON.stringify([carried]) } },
          },
          { at: HPA1 },
        ),
      ],
      see: (o) => [o.spec.maxReplicas, o.spec.metrics, o.metadata.annotations],
      is: [6, [external], undefined],
      owners: [
        `a@autoscaling/v1: metadata.annotations.${CARRIED} spec.maxReplicas spec.scaleTargetRef`,
      ],
    },
    {
      name: 'another manager in version v1 leaves the metrics',
      kind: 'HorizontalPodAutoscaler',
      steps: [
        apply('a', { spec: { scaleTargetRef: target, maxReplicas: 5, metrics: [external] } }),
        apply('b', v1({ minReplicas: 2 }), { at: HPA1 }),
        apply('b', v1({ minReplicas: 3 }), { at: HPA1 }),
      ],
      see: (o) => [o.spec.minReplicas, o.spec.metrics, o.metadata.annotations],
      is: [3, [external], undefined],
      owners: [
        'a: spec.maxReplicas spec.metrics spec.scaleTargetRef.apiVersion spec.scaleTargetRef.kind spec.scaleTargetRef.name',
        'b@autoscaling/v1: spec.minReplicas',
      ],
    },
    {
      name: 'one manager in version v1 leaves the metrics of an update',
      kind: 'HorizontalPodAutoscaler',
      steps: [
        apply('a', { spec: { scaleTargetRef: target, maxReplicas: 5 } }),
        merge('b', { spec: { metrics: [external] } }),
        apply('a', v1({ scaleTargetRef: target, maxReplicas: 6 }), { at: HPA1 }),
        apply('a', v1({ scaleTargetRef: target, maxReplicas: 7 }), { at: HPA1 }),
      ],
      see: (o) => [o.spec.maxReplicas, o.spec.metrics, o.metadata.annotations],
      is: [7, [external], undefined],
      owners: ['a@autoscaling/v1: spec.maxReplicas spec.scaleTargetRef', 'b~: spec.metrics'],
    },
    {
      name: 'a patch in another version takes what it changes',
      kind: 'HorizontalPodAutoscaler',
      steps: [
        apply('a', { spec: { scaleTargetRef: target, maxReplicas: 5 } }),
        merge('b', { spec: { maxReplicas: 7 } }, { at: HPA1 }),
      ],
      see: (o) => o.spec.maxReplicas,
      is: 7,
      owners: [
        'a: spec.scaleTargetRef.apiVersion spec.scaleTargetRef.kind spec.scaleTargetRef.name',
        'b~@autoscaling/v1: spec.maxReplicas',
      ],
    },
    {
      name: 'updates in two versions are two entries',
      kind: 'HorizontalPodAutoscaler',
      steps: [
        apply('a', { spec: { scaleTargetRef: target, maxReplicas: 5 } }),
        merge('b', { spec: { maxReplicas: 7 } }, { at: HPA1 }),
        merge('b', { spec: { minReplicas: 2 } }),
      ],
      see: (o) => [o.spec.minReplicas, o.spec.maxReplicas],
      is: [2, 7],
      owners: [
        'a: spec.scaleTargetRef.apiVersion spec.scaleTargetRef.kind spec.scaleTargetRef.name',
        'b~: spec.minReplicas',
        'b~@autoscaling/v1: spec.maxReplicas',
      ],
    },
    {
      name: 'a field that is named otherwise in the other version',
      kind: 'HorizontalPodAutoscaler',
      steps: [
        apply(
          'a',
          v1({ scaleTargetRef: target, maxReplicas: 5, targetCPUUtilizationPercentage: 60 }),
          { at: HPA1 },
        ),
        merge('b', {
          spec: {
            metrics: [
              {
                type: 'Resource',
                resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
              },
            ],
          },
        }),
      ],
      see: (o) => o.spec.metrics[0].resource.target.averageUtilization,
      is: 70,
      owners: ['a@autoscaling/v1: spec.maxReplicas spec.scaleTargetRef', 'b~: spec.metrics'],
    },
  ])
})

describe('is refused', () => {
  const at = '/api/v1/namespaces/default/configmaps'
  const APPLY = 'application/apply-patch+yaml'
  const send = (path: string, body: Json, type = APPLY) =>
    client.ask('PATCH', path, {
      headers: { 'content-type': type },
      ...(typeof body === 'string' ? { raw: body } : { body }),
    })
  const map = (name: string, rest: Json = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...rest,
    metadata: { name, ...rest.metadata },
  })

  beforeAll(async () => {
    await send(`${at}/there?fieldManager=z`, map('there', { data: { x: '1' } }))
  })

  for (const { name, path = `${at}/there?fieldManager=a`, body, code, reason, message } of [
    {
      name: 'without a field manager',
      path: `${at}/there`,
      body: map('there'),
      code: 422,
      reason: 'Invalid',
      message:
        'PatchOptions.meta.orch.io "" is invalid: fieldManager: Required value: is required for apply patch',
    },
    {
      name: 'with a field manager that cannot be',
      path: `${at}/there?fieldManager=a%07`,
      body: map('there'),
      code: 422,
      reason: 'Invalid',
      message:
        'PatchOptions.meta.orch.io "" is invalid: fieldManager: Invalid value: "a\\u0007": invalid character U+0007 (at position 1)',
    },
    {
      name: 'with entries of owners',
      body: map('there', { metadata: { managedFields: [] } }),
      code: 400,
      reason: 'BadRequest',
      message: 'metadata.managedFields must be nil',
    },
    {
      name: 'in another version',
      body: { ...map('there'), apiVersion: 'v2' },
      code: 400,
      reason: 'BadRequest',
      message:
        'Incorrect version specified in apply patch. Specified patch version: v2, expected: v1',
    },
    {
      name: 'without a version',
      body: { metadata: { name: 'there' } },
      code: 400,
      reason: 'BadRequest',
      message:
        'Incorrect version specified in apply patch. Specified patch version: , expected: v1',
    },
    {
      name: 'of another kind',
      body: { ...map('there'), kind: 'Secret' },
      code: 400,
      reason: 'BadRequest',
      message:
        'Incorrect kind specified in apply patch. Specified patch kind: Secret, expected: ConfigMap',
    },
    {
      name: 'for another name',
      body: map('other'),
      code: 400,
      reason: 'BadRequest',
      message: 'the name of the object (other) does not match the name on the URL (there)',
    },
    {
      name: 'for another namespace',
      body: map('there', { metadata: { namespace: 'other' } }),
      code: 400,
      reason: 'BadRequest',
      message:
        'the namespace of the provided object does not match the namespace sent on the request',
    },
    {
      name: 'what is no YAML',
      body: '{',
      code: 400,
      reason: 'BadRequest',
      message: /^error decoding YAML: /,
    },
    {
      name: 'what is no object',
      body: '- a\n- b\n',
      code: 400,
      reason: 'BadRequest',
      message: 'error decoding YAML: a ConfigMap must be an object',
    },
    {
      name: 'a field that is not declared',
      body: map('there', { spec: { replicas: 1 } }),
      code: 500,
      reason: undefined,
      message:
        'failed to create typed patch object (default/there; /v1, Kind=ConfigMap): .spec: field not declared in schema',
    },
    {
      name: 'a value of another type',
      body: map('there', { data: { x: 1 } }),
      code: 500,
      reason: undefined,
      message:
        'failed to create typed patch object (default/there; /v1, Kind=ConfigMap): .data.x: expected string, got 1',
    },
    {
      name: 'a member of a set twice',
      body: map('there', { metadata: { finalizers: ['x.y/p', 'x.y/p'] } }),
      code: 500,
      reason: undefined,
      message:
        'failed to create typed patch object (default/there; /v1, Kind=ConfigMap): .metadata.finalizers: duplicate entries for key [="x.y/p"]',
    },
    {
      name: 'an item twice, by the default of its key',
      path: '/api/v1/namespaces/default/services/twice?fieldManager=a',
      body: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'twice' },
        spec: { ports: [{ port: 80 }, { port: 80, protocol: 'TCP', name: 'b' }] },
      },
      code: 500,
      reason: undefined,
      message:
        'failed to create typed patch object (default/twice; /v1, Kind=Service): .spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    },
    {
      name: 'a key twice, when strict',
      path: `${at}/there?fieldManager=a&fieldValidation=Strict`,
      body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: there\n  name: there\n',
      code: 400,
      reason: 'BadRequest',
      message: 'error strict decoding YAML: line 5: key "name" already set in map',
    },
    {
      name: 'a state that has passed',
      body: map('there', { metadata: { resourceVersion: '1' }, data: { y: '1' } }),
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "there": the object has been modified; please apply your changes to the latest version and try again',
    },
    {
      name: 'an object that is another',
      body: map('there', { metadata: { uid: 'other' }, data: { y: '1' } }),
      code: 422,
      reason: 'Invalid',
      message:
        'ConfigMap "there" is invalid: metadata.uid: Invalid value: "other": field is immutable',
    },
    {
      name: 'an object that was there once',
      path: `${at}/absent?fieldManager=a`,
      body: map('absent', { metadata: { uid: 'once' } }),
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "absent": uid mismatch: the provided object specified uid once, and no existing object was found',
    },
    {
      name: 'the status of what is not there',
      path: '/api/v1/nodes/absent/status?fieldManager=a',
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'absent' } },
      code: 404,
      reason: 'NotFound',
      message: 'nodes "absent" not found',
    },
    {
      name: 'what the kind does not allow',
      body: map('there', { metadata: { labels: { 'a b': 'c' } } }),
      code: 422,
      reason: 'Invalid',
      message: /^ConfigMap "there" is invalid: metadata.labels: Invalid value: "a b": /,
    },
    {
      name: 'force on a patch that is no apply',
      path: `${at}/there?force=true`,
      type: 'application/merge-patch+json',
      body: {},
      code: 422,
      reason: 'Invalid',
      message:
        'PatchOptions.meta.orch.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    },
  ] as {
    name: string
    path?: string
    type?: string
    body: Json
    code: number
    reason: string | undefined
    message: string | RegExp
  }[]) {
    test(name, async () => {
      const type = path.includes('force') ? 'application/merge-patch+json' : APPLY
      const reply = await send(path, body, type)
      expect([reply.status, reply.body.reason]).toEqual([code, reason])
      if (typeof message === 'string') expect(reply.body.message).toBe(message)
      else expect(reply.body.message).toMatch(message)
      const { body: there } = await client.get(`${at}/there`)
      expect([there.data, ownersOf(there, 'v1')]).toEqual([{ x: '1' }, ['z: data.x']])
    })
  }

  test('an apply in YAML creates, and again changes nothing', async () => {
    const text =
      '# ours\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  x: "1"\n'
    const first = await send(`${at}/yaml?fieldManager=a`, text)
    const again = await send(`${at}/yaml?fieldManager=a`, text)
    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body])
  })

  test('a key twice is a warning otherwise', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: warned\n  name: warned\n'
    const reply = await send(`${at}/warned?fieldManager=a`, text)
    expect([reply.status, reply.headers.warning]).toEqual([
      201,
      '299 - "line 5: key \\"name\\" already set in map"',
    ])
  })

  test('a write that changes nothing moves neither version nor time', async () => {
    const before = (await client.get(`${at}/there`)).body
    for (const step of [
      () => client.merge(`${at}/there?fieldManager=b`, { data: { x: '1' } }),
      () => client.put(`${at}/there?fieldManager=c`, before),
      () => send(`${at}/there?fieldManager=z`, map('there', { data: { x: '1' } })),
    ]) {
      expect((await step()).body).toEqual(before)
    }
  })
})

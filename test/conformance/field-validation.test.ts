/** Fields that a kind does not know, fields that stand twice, and values of a wrong type, deep inside objects. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHANGING_PLUGINS } from '../plain-objects.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'

type Json = Record<string, any>

let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer({ disableAdmissionPlugins: CHANGING_PLUGINS, controllers: ['api'] })
  // Pods need the account that a controller creates.
  await server.settled()
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const paths = {
  ConfigMap: '/api/v1/namespaces/default/configmaps',
  Service: '/api/v1/namespaces/default/services',
  Pod: '/api/v1/namespaces/default/pods',
  Deployment: '/apis/apps/v1/namespaces/default/deployments',
  NetworkPolicy: '/apis/networking.orch.io/v1/namespaces/default/networkpolicies',
  StorageClass: '/apis/storage.orch.io/v1/storageclasses',
  Role: '/apis/rbac.authorization.orch.io/v1/namespaces/default/roles',
  HorizontalPodAutoscaler: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
} as const
type Kind = keyof typeof paths

const versionOf = (kind: Kind) => (kind === 'HorizontalPodAutoscaler' ? 'v2' : 'v1')
const misfit = (kind: Kind, what: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `${kind} in version "${versionOf(kind)}" cannot be handled as a ${kind}: ${what}`,
  reason: 'BadRequest',
  code: 400,
})
const unknown = (path: string) => `unknown field ${JSON.stringify(path)}`
const twice = (path: string) => `duplicate field ${JSON.stringify(path)}`
const header = (texts: readonly string[]) =>
  texts.length === 0
    ? undefined
    : texts
        .map((text) => `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)
        .join(', ')

const deployment = (container = '', pod = '', spec = '', top = '') => `{
  "metadata": {"name": "x"},${top}
  "spec": {${spec}
    "selector": {"matchLabels": {"a": "b"}},
    "template": {
      "metadata": {"labels": {"a": "b"}},
      "spec": {${pod}
        "containers": [
          {"name": "first", "image": "i"},
          {${container} "name": "second", "image": "i"}
        ]
      }
    }
  }
}`
const inPod = 'spec.template.spec'
const inContainer = `${inPod}.containers[1]`

interface Finding {
  readonly name: string
  readonly kind: Kind
  readonly raw: string
  readonly found: readonly string[]
  readonly type?: string
}

const yaml = 'application/yaml'
const findings: readonly Finding[] = [
  { name: 'nothing', kind: 'Deployment', raw: deployment(), found: [] },
  {
    name: 'at the top',
    kind: 'Deployment',
    raw: deployment('', '', '', '"sepc": {"replicas": 1}, "Spec": 1,'),
    found: [unknown('sepc'), unknown('Spec')],
  },
  {
    name: 'in the spec',
    kind: 'Deployment',
    raw: deployment('', '', '"replica": 3, "Replicas": 3,'),
    found: [unknown('spec.replica'), unknown('spec.Replicas')],
  },
  {
    name: 'in metadata',
    kind: 'Deployment',
    raw: deployment().replace('"name": "x"', '"name": "x", "label": {}, "nameSpace": "default"'),
    found: [unknown('metadata.label'), unknown('metadata.nameSpace')],
  },
  {
    name: 'in a list',
    kind: 'Deployment',
    raw: deployment('"imagee": "i", "Command": [],'),
    found: [unknown(`${inContainer}.imagee`), unknown(`${inContainer}.Command`)],
  },
  {
    name: 'in a list in a list',
    kind: 'Deployment',
    raw: deployment(
      '"ports": [{"containerPort": 1}, {"containerPort": 2, "hostport": 2}], ' +
        '"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name", "path": "x"}}}],',
    ),
    found: [
      unknown(`${inContainer}.env[0].valueFrom.fieldRef.path`),
      unknown(`${inContainer}.ports[1].hostport`),
    ],
  },
  {
    name: 'names are told apart by case',
    kind: 'Deployment',
    raw: deployment('"imagepullpolicy": "Always",', '"hostnetwork": true,'),
    found: [unknown(`${inContainer}.imagepullpolicy`), unknown(`${inPod}.hostnetwork`)],
  },
  {
    name: 'keys of maps are free',
    kind: 'Deployment',
    raw: deployment(
      '"resources": {"limits": {"example.com/thing": 1}, "requests": {"example.com/thing": 1}},',
      '"nodeSelector": {"anything": "goes", "constructor": "too"},',
    ),
    found: [],
  },
  {
    name: 'names that every object has',
    kind: 'Deployment',
    raw: deployment('"constructor": 1,', '"__proto__": {"hostNetwork": true},', '"toString": 1,'),
    found: [
      unknown('spec.toString'),
      unknown(`${inContainer}.constructor`),
      unknown(`${inPod}.__proto__`),
    ],
  },
  {
    name: 'twice in a list',
    kind: 'Deployment',
    raw: deployment('"image": "a", "tty": true, "tty": false,'),
    found: [twice(`${inContainer}.tty`), twice(`${inContainer}.image`)],
  },
  {
    name: 'twice in maps and objects',
    kind: 'Deployment',
    raw: deployment('', '"nodeSelector": {"a": "1", "a": "2"},', '"replicas": 1, "replicas": 2,'),
    found: [twice('spec.replicas'), twice(`${inPod}.nodeSelector.a`)],
  },
  {
    name: 'both',
    kind: 'Deployment',
    raw: deployment('"tty": true, "tty": false, "ttyy": true,'),
    found: [unknown(`${inContainer}.ttyy`), twice(`${inContainer}.tty`)],
  },
  {
    name: 'in a service',
    kind: 'Service',
    raw: '{"metadata":{"name":"x"},"spec":{"ports":[{"port":80,"Port":81,"nodeport":1}],"clusterIp":"None","clusterIP":"10.0.0.77"}}',
    found: [
      unknown('spec.ports[0].Port'),
      unknown('spec.ports[0].nodeport'),
      unknown('spec.clusterIp'),
    ],
  },
  {
    name: 'in lists of a policy',
    kind: 'NetworkPolicy',
    raw: '{"metadata":{"name":"x"},"spec":{"podSelector":{},"ingress":[{},{"from":[{"ipBlock":{"cidr":"10.0.0.0/8","excepts":[]}}],"ports":[{"port":1,"endport":2}]}]}}',
    found: [
      unknown('spec.ingress[1].ports[0].endport'),
      unknown('spec.ingress[1].from[0].ipBlock.excepts'),
    ],
  },
  {
    name: 'in rules',
    kind: 'Role',
    raw: '{"metadata":{"name":"x"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourcename":["a"]}]}',
    found: [unknown('rules[0].resourcename')],
  },
  {
    name: 'in metrics',
    kind: 'HorizontalPodAutoscaler',
    raw: '{"metadata":{"name":"x"},"spec":{"maxReplicas":2,"scaleTargetRef":{"kind":"A","name":"b"},"metrics":[{"type":"Resource","resource":{"name":"cpu","targetAverageUtilization":5,"target":{"type":"Utilization","averageUtilization":5}}}]}}',
    found: [unknown('spec.metrics[0].resource.targetAverageUtilization')],
  },
  {
    name: 'in a volume of a pod',
    kind: 'Pod',
    raw: '{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","projected":{"sources":[{"secret":{"name":"s","items":[{"key":"k","path":"p","Mode":1}]}}]}}]}}',
    found: [unknown('spec.volumes[0].projected.sources[0].secret.items[0].Mode')],
  },
  {
    name: 'YAML',
    kind: 'Deployment',
    type: yaml,
    raw: `
metadata: {name: x, labell: {}}
spec:
  replica: 3
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - name: c
        image: i
        ports:
        - containerPort: 80
          hostport: 80
`,
    found: [
      unknown('metadata.labell'),
      unknown(`${inPod}.containers[0].ports[0].hostport`),
      unknown('spec.replica'),
    ],
  },
  {
    name: 'YAML, twice',
    kind: 'Deployment',
    type: yaml,
    raw: `metadata: {name: x}
spec:
  replicas: 1
  replicas: 2
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - name: c
        image: i
        image: j
`,
    found: ['line 4: key "replicas" already set in map', 'line 12: key "image" already set in map'],
  },
]

async function send(kind: Kind, mode: string, raw: string, type?: string): Promise<Reply> {
  return client.ask('POST', `${paths[kind]}?dryRun=All&fieldValidation=${mode}`, {
    raw,
    headers: type ? { 'content-type': type } : {},
  })
}
/** Both in one order: the order in which findings are told is free. */
const sorted = (texts: readonly string[]) => [...texts].sort()

describe('found', () => {
  for (const { name, kind, raw, found, type } of findings) {
    test(`${kind}: ${name}`, async () => {
      const ignored = await send(kind, 'Ignore', raw, type)
      expect(ignored.status, ignored.text).toBe(201)
      expect(ignored.headers.warning).toBeUndefined()
      for (const mode of ['Warn', '']) {
        const warned = await send(kind, mode, raw, type)
        expect(warned.status, warned.text).toBe(201)
        const texts = warned.headers.warning
        expect(sorted(texts?.split(/, (?=299 )/) ?? [])).toEqual(
          sorted(header(found)?.split(/, (?=299 )/) ?? []),
        )
        expect({ ...warned.body, metadata: null }).toEqual({ ...ignored.body, metadata: null })
      }
      const strict = await send(kind, 'Strict', raw, type)
      if (found.length === 0) {
        expect([strict.status, strict.headers.warning]).toEqual([201, undefined])
        return
      }
      const { message, ...status } = misfit(kind, 'strict decoding error: ')
      const { message: said, ...answered } = strict.body
      expect([strict.status, answered]).toEqual([400, status])
      expect(said.startsWith(message)).toBe(true)
      expect(sorted(said.slice(message.length).split(', '))).toEqual(sorted(found))
    })
  }

  test('the last of two values counts, and unknown fields are not kept', async () => {
    const { body } = await send(
      'Deployment',
      'Ignore',
      deployment('"tty": true, "imagee": 1,', '', '"replicas": 1, "replicas": 2,'),
    )
    expect(body.spec.replicas).toBe(2)
    expect(Object.keys(body.spec.template.spec.containers[1])).not.toContain('imagee')
    expect(body.spec.template.spec.containers[1].tty).toBe(true)
    expect(body.spec.template.spec.containers[0].tty).toBeUndefined()
    const free = await send(
      'ConfigMap',
      'Strict',
      '{"metadata":{"name":"x"},"data":{"__proto__":"too","constructor":"c"}}',
    )
    expect(Object.entries(free.body.data)).toEqual([
      ['__proto__', 'too'],
      ['constructor', 'c'],
    ])
  })

  test('at most a hundred are told', async () => {
    const many = Array.from({ length: 150 }, (_, i) => `"surplus${i}": 1`).join()
    const raw = `{"metadata":{"name":"x"},${many}}`
    const strict = await send('ConfigMap', 'Strict', raw)
    expect(strict.body.message.match(/unknown field/g)).toHaveLength(100)
    const warned = await send('ConfigMap', 'Warn', raw)
    expect(warned.status).toBe(201)
    expect(warned.headers.warning).toContain('unknown field \\"surplus0\\"')
  })

  test('an update and its parts', async () => {
    const made = await client.ask('POST', paths.Deployment, { raw: deployment() })
    expect(made.status).toBe(201)
    const path = `${paths.Deployment}/x`
    const body = structuredClone(made.body)
    body.spec.template.spec.containers[0].imagee = 'i'
    body.status.replica = 1
    const found = [unknown(`${inPod}.containers[0].imagee`), unknown('status.replica')]
    for (const part of ['', '/status']) {
      const warned = await client.put(`${path}${part}?dryRun=All`, body)
      expect([warned.status, warned.headers.warning]).toEqual([200, header(found)])
      const strict = await client.put(`${path}${part}?fieldValidation=Strict`, body)
      expect([strict.status, strict.body]).toEqual([
        400,
        misfit('Deployment', `strict decoding error: ${found.join(', ')}`),
      ])
    }
    const patch = { spec: { template: { spec: { nodename: 'n' } } } }
    const merged = await client.merge(`${path}?dryRun=All`, patch)
    expect([merged.status, merged.headers.warning]).toEqual([
      200,
      header([unknown(`${inPod}.nodename`)]),
    ])
    const refused = await client.merge(`${path}?fieldValidation=Strict`, patch)
    expect([refused.status, refused.body.reason, refused.body.details.causes[0].field]).toEqual([
      422,
      'Invalid',
      'patch',
    ])
    expect(refused.body.message).toContain(`strict decoding error: ${unknown(`${inPod}.nodename`)}`)
    expect((await client.get(path)).body).toEqual(made.body)
    await client.delete(path)
  })
})

describe('values of a wrong type name their place', () => {
  const at = (part: string) => `${inContainer}.${part}`
  const rows: readonly (readonly [string, Kind, string, string])[] = [
    [
      'text for a number',
      'Deployment',
      deployment('', '', '"replicas": "3",'),
      'spec.replicas: expected an integer, found a string',
    ],
    [
      'a fraction',
      'Deployment',
      deployment('', '', '"replicas": 1.5,'),
      'spec.replicas: expected an integer, found the number 1.5',
    ],
    [
      'too large',
      'Deployment',
      deployment('', '', '"replicas": 2147483648,'),
      'spec.replicas: 2147483648 is out of the range of a 32-bit integer',
    ],
    [
      'far too large',
      'Deployment',
      deployment('', '', '"replicas": 123456789012345678901,'),
      'spec.replicas: expected an integer, found a number',
    ],
    [
      'a list for an object',
      'Deployment',
      deployment().replace('{"matchLabels": {"a": "b"}}', '[]'),
      'spec.selector: expected an object, found a list',
    ],
    [
      'text for an object',
      'Deployment',
      '{"metadata":{"name":"x"},"spec":"much"}',
      'spec: expected an object, found a string',
    ],
    [
      'an object for a list',
      'Pod',
      '{"metadata":{"name":"x"},"spec":{"containers":{"name":"c"}}}',
      'spec.containers: expected a list, found an object',
    ],
    [
      'text in a list of objects',
      'Pod',
      '{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c"},"d"]}}',
      'spec.containers[1]: expected an object, found a string',
    ],
    [
      'a number for text',
      'Deployment',
      deployment('"env": [{"name": "A"}, {"name": "B", "value": 5}],'),
      `${at('env[1].value')}: expected a string, found a number`,
    ],
    [
      'a number in a list of texts',
      'Deployment',
      deployment('"args": ["a", 5],'),
      `${at('args[1]')}: expected a string, found a number`,
    ],
    [
      'text for yes or no',
      'Deployment',
      deployment('"tty": "true",'),
      `${at('tty')}: expected true or false, found a string`,
    ],
    [
      'a number in labels',
      'Deployment',
      deployment().replace('"labels": {"a": "b"}', '"labels": {"a": 1}'),
      'spec.template.metadata.labels.a: expected a string, found a number',
    ],
    [
      'no quantity',
      'Deployment',
      deployment('"resources": {"limits": {"cpu": "lots"}},'),
      `${at('resources.limits.cpu')}: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    ],
    [
      'no time',
      'Deployment',
      deployment().replace('"name": "x"', '"name": "x", "creationTimestamp": 5'),
      'metadata.creationTimestamp: expected a string, found a number',
    ],
    [
      'neither number nor text',
      'Service',
      '{"metadata":{"name":"x"},"spec":{"ports":[{"port":80,"targetPort":true}]}}',
      'spec.ports[0].targetPort: expected an integer or a string, found a boolean',
    ],
    [
      'an object for text',
      'Service',
      '{"metadata":{"name":{}},"spec":{}}',
      'metadata.name: expected a string, found an object',
    ],
    [
      'no base64',
      'ConfigMap',
      '{"metadata":{"name":"x"},"binaryData":{"k":"?"}}',
      'binaryData.k: illegal base64 data',
    ],
    [
      'a list for a map',
      'StorageClass',
      '{"metadata":{"name":"x"},"provisioner":"p","parameters":["a"]}',
      'parameters: expected an object, found a list',
    ],
  ]
  for (const [name, kind, raw, what] of rows) {
    test(`${kind}: ${name}`, async () => {
      for (const mode of ['Ignore', 'Strict']) {
        const reply = await send(kind, mode, raw)
        expect([reply.status, reply.body]).toEqual([400, misfit(kind, what)])
      }
    })
  }

  test('YAML: numbers and words that are not text', async () => {
    const pod = (value: string) =>
      `metadata: {name: x}\nspec:\n  containers:\n  - name: c\n    image: i\n    args: [${value}]\n`
    for (const [value, what] of [
      ['5', 'a number'],
      ['true', 'a boolean'],
      ['{a: b}', 'an object'],
    ]) {
      const reply = await send('Pod', 'Warn', pod(value!), yaml)
      expect([reply.status, reply.body]).toEqual([
        400,
        misfit('Pod', `spec.containers[0].args[0]: expected a string, found ${what}`),
      ])
    }
    expect((await send('Pod', 'Strict', pod('"5"'), yaml)).status).toBe(201)
  })

  test('null is nothing', async () => {
    const raw = deployment(
      '"args": null, "tty": null,',
      '"nodeSelector": null,',
      '"replicas": null,',
    )
    const { status, body, headers } = await send('Deployment', 'Strict', raw)
    expect([status, headers.warning, body.spec.replicas]).toEqual([201, undefined, 1])
    const container: Json = body.spec.template.spec.containers[1]
    expect(Object.keys(container).filter((key) => key === 'args' || key === 'tty')).toEqual([])
  })
})

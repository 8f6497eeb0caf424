/** set image, env, resources, serviceaccount, selector, subject. */
import { findObjects, manyFlags, readOne, type LiveObject } from '../../api/find-objects.ts'
import { quantities } from '../../api/generate.ts'
import { splitMarks } from '../../api/marks.ts'
import {
  changeEach,
  containersOf,
  needPodSpec,
  templateFlags,
  type Container,
} from '../../api/pod-template.ts'
import { findResource, resourcePath } from '../../api/resources.ts'
import { Done, dryRunOf, forEach, writeFlags, writeQuery } from '../../api/writing.ts'
import type { ApiObject } from '../../../client/transport.ts'
import type { Command } from '../../base/command.ts'
import type { Context } from '../../base/context.ts'
import { Fault } from '../../base/faults.ts'

/** Splits arguments into those that name objects and pairs. */
function splitPairs(c: Context): { words: string[]; pairs: string[] } {
  const isPair = (text: string) =>
    /^[^/]+=/.test(text) || text.includes('=') || (text.endsWith('-') && text.length > 1)
  const start = c.args.findIndex(isPair)
  return start === -1
    ? { words: [...c.args], pairs: [] }
    : { words: c.args.slice(0, start), pairs: c.args.slice(start) }
}

export const setImage: Command = {
  use: '(-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N',
  text: 'Sets the images of containers of workloads.',
  examples: [['One container', 'set image deployment/web nginx=nginx:1.9.1']],
  flags: templateFlags,
  async run(c) {
    const { words, pairs } = splitPairs(c)
    if (pairs.length === 0) throw new Fault('error: at least one image update is required')
    await changeEach(c, {
      words,
      manager: 'set',
      what: 'image updated',
      failure: 'image update',
      change(object) {
        const spec = needPodSpec(object)
        for (const pair of pairs) {
          const equals = pair.indexOf('=')
          const [name, image] = [pair.slice(0, equals), pair.slice(equals + 1)]
          const found = containersOf(spec, name)
          if (found.length === 0) throw new Fault(`error: unable to find container named "${name}"`)
          for (const container of found) container.image = image
        }
      },
    })
  },
}

export const setResources: Command = {
  use: '(-f FILENAME | TYPE NAME) ([--limits=LIMITS & --requests=REQUESTS])',
  text: 'Sets the resources that containers of workloads request and may use.',
  flags: {
    ...templateFlags,
    containers: {
      type: 'text',
      short: 'c',
      default: '*',
      help: 'The names of containers in the selected pod templates to change, all containers are selected by default - may use wildcards',
    },
    limits: {
      type: 'text',
      help: "The resource requirement requests for this container. For example, 'cpu=100m,memory=256Mi'.",
    },
    requests: {
      type: 'text',
      help: "The resource requirement requests for this container. For example, 'cpu=100m,memory=256Mi'.",
    },
  },
  async run(c) {
    const [limits, requests] = ['limits', 'requests'].map((flag) => quantities(c.flags.text(flag)))
    if (!limits && !requests)
      throw new Fault(
        'error: you must specify an update to requests or limits (in the form of --requests/--limits)',
      )
    await changeEach(c, {
      words: c.args,
      manager: 'set',
      what: 'resource requirements updated',
      change(object) {
        const found = containersOf(needPodSpec(object), c.flags.text('containers'))
        if (found.length === 0)
          throw new Fault(`error: unable to find container named ${c.flags.text('containers')}`)
        for (const container of found) setAmounts(container, limits, requests)
      },
    })
  },
}

function setAmounts(
  container: Container,
  limits?: Record<string, string>,
  requests?: Record<string, string>,
): void {
  const resources = (container.resources ??= {})
  for (const [key, values] of [
    ['limits', limits],
    ['requests', requests],
  ] as const) {
    if (!values) continue
    const amounts = { ...resources[key], ...values }
    for (const [name, amount] of Object.entries(values)) if (amount === '0') delete amounts[name]
    resources[key] = amounts
  }
}

export const setServiceAccount: Command = {
  use: '(-f FILENAME | TYPE NAME) SERVICE_ACCOUNT',
  text: 'Sets the service account of the pods of workloads.',
  flags: templateFlags,
  async run(c) {
    const name = c.args.at(-1) ?? ''
    if (c.args.length === 0) throw new Fault('error: serviceaccount is required')
    await changeEach(c, {
      words: c.args.slice(0, -1),
      manager: 'set',
      what: 'serviceaccount updated',
      change: (object) => {
        const spec = needPodSpec(object)
        spec.serviceAccountName = name
        if (Object.hasOwn(spec, 'serviceAccount')) spec.serviceAccount = name
      },
    })
  },
}

export const setSelector: Command = {
  use: '(-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]',
  text: 'Replaces the selector of a service.',
  flags: {
    ...templateFlags,
    'resource-version': {
      type: 'text',
      help: 'If non-empty, the selectors update will only succeed if this is the current resource-version for the object.',
    },
  },
  async run(c) {
    const text = c.args.at(-1) ?? ''
    const selector = Object.fromEntries(text.split(',').map((part) => part.split('=').slice(0, 2)))
    if (!text.includes('=')) throw new Fault('error: a selector of the form name=value is required')
    await changeEach(c, {
      words: c.args.slice(0, -1),
      manager: 'set',
      what: 'selector updated',
      change(object) {
        if (object.kind !== 'Service')
          throw new Fault('error: setting a selector is only supported for Services')
        const version = c.flags.text('resource-version')
        if (version !== '') object.metadata.resourceVersion = version
        ;(object.spec as { selector?: unknown }).selector = selector
      },
    })
  },
}

export const setEnv: Command = {
  use: 'RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N',
  text: 'Sets and lists variables of the environment of containers. A name with a minus sign at its end is removed.',
  examples: [
    ['One variable', 'set env deployment/web MODE=fast'],
    ['All of a config map', 'set env deployment/web --from=configmap/settings'],
    ['What there is', 'set env deployment/web --list'],
  ],
  flags: {
    ...templateFlags,
    containers: {
      type: 'text',
      short: 'c',
      default: '*',
      help: 'The names of containers in the selected pod templates to change - may use wildcards',
    },
    env: {
      type: 'array',
      short: 'e',
      help: 'Specify a key-value pair for an environment variable to set into each container.',
    },
    from: {
      type: 'text',
      help: 'The name of a resource from which to inject environment variables',
    },
    keys: { type: 'list', help: 'Comma-separated list of keys to import from specified resource' },
    list: {
      type: 'bool',
      help: 'If true, display the environment and any changes in the standard format.',
    },
    overwrite: {
      type: 'bool',
      default: 'true',
      help: 'If true, allow environment to be overwritten, otherwise reject updates that overwrite existing environment.',
    },
    prefix: { type: 'text', help: 'Prefix to append to variable names' },
    resolve: {
      type: 'bool',
      help: 'If true, show secret or configmap references when listing variables',
    },
  },
  async run(c) {
    const { words, changes } = splitMarks(c, 'environment variable')
    const set = new Map(changes)
    for (const pair of c.flags.list('env')) {
      const equals = pair.indexOf('=')
      if (equals < 1)
        throw new Fault(
          `error: environment variables must be of the form key=value and ${pair} is not`,
        )
      set.set(pair.slice(0, equals), pair.slice(equals + 1))
    }
    if (c.flags.is('list')) return listEnv(c, words)
    const from = await fromSource(c)
    await changeEach(c, {
      words,
      manager: 'set',
      what: 'env updated',
      change(object) {
        const name = c.flags.text('containers')
        const found = containersOf(needPodSpec(object), name)
        if (found.length === 0)
          c.err(
            `Warning: ${object.kind}/${object.metadata.name} does not have any containers matching ${JSON.stringify(name)}\n`,
          )
        for (const container of found) changeEnv(c, container, set, from)
      },
    })
  },
}

type Variable = NonNullable<Container['env']>[number]

function changeEnv(
  c: Context,
  container: Container,
  set: ReadonlyMap<string, string | null>,
  from: readonly Variable[],
): void {
  const all = new Map((container.env ?? []).map((one) => [one.name, one]))
  for (const [name, value] of set) {
    if (value === null) all.delete(name)
    else if (all.has(name) && !c.flags.is('overwrite')) {
      throw new Fault(
        `error: '${name}' already has a value (${all.get(name)!.value ?? ''}), and --overwrite is false`,
      )
    } else all.set(name, { name, value })
  }
  for (const one of from) all.set(one.name, one)
  container.env = [...all.values()]
}

async function fromSource(c: Context): Promise<Variable[]> {
  const text = c.flags.text('from')
  if (text === '') return []
  const [type = '', name = ''] = text.split('/')
  const of = await findResource(await c.discovery(), type)
  if (of.kind !== 'ConfigMap' && of.kind !== 'Secret')
    throw new Fault(`error: unsupported resource specified in --from`)
  const { name: namespace } = await c.namespace()
  const { data = {} } = (await readOne(c, { of, namespace, name })) as {
    data?: Record<string, string>
  }
  const keys = c.flags.list('keys')
  const ref = of.kind === 'Secret' ? 'secretKeyRef' : 'configMapKeyRef'
  return Object.keys(data)
    .filter((key) => keys.length === 0 || keys.includes(key))
    .sort()
    .map((key) => {
      const upper = key.toUpperCase().replaceAll(/[-.]/g, '_')
      if (upper !== key) c.err(`Warning: key ${key} transferred to ${upper}\n`)
      return {
        name: (c.flags.text('prefix') + key).toUpperCase().replaceAll(/[-.]/g, '_'),
        valueFrom: { [ref]: { key, name } },
      }
    })
}

async function listEnv(c: Context, words: readonly string[]): Promise<void> {
  for (const { of, name, object } of await findObjects(c, words)) {
    for (const container of containersOf(needPodSpec(object), c.flags.text('containers'))) {
      c.out(`# ${of.kind} ${name}, container ${container.name}\n`)
      for (const { name: key, value, valueFrom } of container.env ?? []) {
        if (!valueFrom) c.out(`${key}=${value ?? ''}\n`)
        else {
          const [kind = '', ref] = Object.entries(valueFrom)[0] as [
            string,
            { name?: string; key?: string; fieldPath?: string },
          ]
          const what = { configMapKeyRef: 'configmap', secretKeyRef: 'secret' }[kind]
          const resolved =
            what && c.flags.is('resolve') ? await resolvedEnv(c, object, kind, ref) : null
          c.out(
            resolved !== null
              ? `${key}=${resolved}\n`
              : what
                ? `# ${key} from ${what} ${ref.name}, key ${ref.key}\n`
                : `# ${key} from field path ${ref.fieldPath ?? ''}\n`,
          )
        }
      }
    }
  }
}

/** The value that a variable has by its reference. */
async function resolvedEnv(
  c: Context,
  { metadata }: LiveObject,
  kind: string,
  { name = '', key = '' }: { readonly name?: string; readonly key?: string },
): Promise<string> {
  const isSecret = kind === 'secretKeyRef'
  const of = await findResource(await c.discovery(), isSecret ? 'secrets' : 'configmaps')
  const namespace = metadata.namespace ?? ''
  const { data = {} } = (await readOne(c, { of, namespace, name })) as {
    data?: Record<string, string>
  }
  const value = data[key]
  if (value === undefined)
    throw new Fault(`error: ${isSecret ? 'secret' : 'config map'} ${name} has no key ${key}`)
  return isSecret ? Buffer.from(value, 'base64').toString('utf8') : value
}

export const setSubject: Command = {
  use: '(-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]',
  text: 'Adds users, groups and service accounts to role bindings and cluster role bindings.',
  flags: {
    ...writeFlags,
    ...manyFlags,
    group: { type: 'array', help: 'Groups to bind to the role' },
    serviceaccount: { type: 'array', help: 'Service accounts to bind to the role' },
    user: { type: 'array', help: 'Usernames to bind to the role' },
  },
  async run(c) {
    const apiGroup = (await c.words()).resolve('rbac.authorization{api}')
    const added = [
      ...c.flags.list('user').map((name) => ({ apiGroup, kind: 'User', name })),
      ...c.flags.list('group').map((name) => ({ apiGroup, kind: 'Group', name })),
      ...c.flags.list('serviceaccount').map((text) => {
        const [namespace = '', name = ''] = text.split(':')
        if (namespace === '' || name === '')
          throw new Fault('error: serviceaccount must be <namespace>:<name>')
        return { kind: 'ServiceAccount', name, namespace }
      }),
    ]
    if (added.length === 0)
      throw new Fault('error: you must specify at least one value of user, group or serviceaccount')
    const done = await Done.of(c)
    const query = await writeQuery(c, 'set')
    await forEach(await findObjects(c), async ({ of, namespace, name, object }) => {
      const old = (object.subjects ?? []) as object[]
      const texts = old.map((one) => JSON.stringify(Object.entries(one).sort()))
      const fresh = added.filter(
        (one) => !texts.includes(JSON.stringify(Object.entries(one).sort())),
      )
      if (fresh.length === 0) return
      const changed = { ...object, subjects: [...old, ...fresh] }
      if (dryRunOf(c) === 'client') return done.say(changed, 'subjects updated')
      const api = await c.api()
      const path = resourcePath(of, namespace, name)
      await done.say(
        await api.json<ApiObject>({ method: 'PUT', path, query, body: changed }),
        'subjects updated',
      )
    })
  },
}

/** taint, cordon, uncordon, drain. */
import type { ApiObject } from '../../client/transport.ts'
import { StatusError } from '../../meta/errors.ts'
import { deleteOne, untilGone } from '../api/deleting.ts'
import {
  findObjects,
  manyFlags,
  readAll,
  readOne,
  type Found,
  type LiveObject,
} from '../api/find-objects.ts'
import type { NodeObject, PodObject } from '../api/kind-types.ts'
import { findResource, resourcePath } from '../api/resources.ts'
import { Done, dryRunFlag, dryRunOf, forEach, writeFlags, writeQuery } from '../api/writing.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { CommandFault, Fault } from '../base/faults.ts'

interface Taint {
  key: string
  value?: string
  effect?: string
  timeAdded?: string
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const TAINT = /^([^=:]+?)(?:=([^:]*))?(?::([A-Za-z]+))?(-?)$/

export const taint: Command = {
  use: 'NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N',
  text: 'Sets and removes taints of nodes. A taint with a minus sign at its end is removed.',
  examples: [
    ['Set one', 'taint nodes worker-1 dedicated=special:NoSchedule'],
    ['Remove one', 'taint nodes worker-1 dedicated:NoSchedule-'],
  ],
  flags: {
    ...writeFlags,
    ...manyFlags,
    overwrite: {
      type: 'bool',
      help: 'If true, allow taints to be overwritten, otherwise reject taint updates that overwrite existing taints.',
    },
  },
  async run(c) {
    const start = c.args.findIndex((arg, i) => i > 0 && (/[:=]/.test(arg) || arg.endsWith('-')))
    if (start === -1) throw new Fault('error: at least one taint update is required')
    const words = c.args.slice(0, start)
    const { added, removed } = parsed(c.args.slice(start))
    const query = await writeQuery(c, 'taint')
    const done = await Done.of(c)
    const found = await findObjects(c, words)
    await forEach(found, async (one) => {
      if (one.of.kind !== 'Node')
        throw new Fault(
          `error: invalid resource type ${words[0]!.split('/')[0]}, only node types are supported`,
        )
      const old = (one.object.spec as { taints?: Taint[] } | undefined)?.taints ?? []
      const isSame = (a: Taint, b: Taint) => a.key === b.key && (a.effect ?? b.effect) === b.effect
      if (!c.flags.is('overwrite')) {
        const taken = added.find((item) => old.some((other) => isSame(item, other)))
        if (taken)
          throw new Fault(
            `error: node ${one.name} already has ${taken.key} taint(s) with same effect(s) and --overwrite is false`,
          )
      }
      const missing = removed.find((item) => !old.some((other) => isSame(item, other)))
      if (missing)
        throw new Fault(
          `error: taint "${missing.key}${missing.effect ? `:${missing.effect}` : ''}" not found`,
        )
      const kept = old.filter(
        (other) => ![...removed, ...added].some((item) => isSame(item, other)),
      )
      const taints = [...added, ...kept]
      const isReplaced = added.some((item) => old.some((other) => isSame(item, other)))
      const what =
        isReplaced || (added.length > 0 && removed.length > 0)
          ? 'modified'
          : added.length > 0
            ? 'tainted'
            : 'untainted'
      if (dryRunOf(c) === 'client')
        return done.say(
          { ...one.object, spec: { ...(one.object.spec as object), taints } } as ApiObject,
          what,
        )
      const api = await c.api()
      const object = await api.json<ApiObject>({
        method: 'PATCH',
        path: resourcePath(one.of, '', one.name),
        query,
        body: {
          metadata: { resourceVersion: one.object.metadata.resourceVersion },
          spec: { taints: taints.length > 0 ? taints : null },
        },
        type: 'application/merge-patch+json',
      })
      await done.say(object, what)
    })
  },
}

function parsed(texts: readonly string[]): { added: Taint[]; removed: Taint[] } {
  const [added, removed]: [Taint[], Taint[]] = [[], []]
  for (const text of texts) {
    const [, key = '', value = '', effect, minus] = TAINT.exec(text) ?? []
    const isKnown = effect === undefined ? minus === '-' : EFFECTS.includes(effect)
    if (key === '') throw new Fault(`error: unknown taint spec: ${text}`)
    if (!isKnown)
      throw new CommandFault(
        effect === undefined
          ? `unknown taint spec: ${text}`
          : `invalid taint effect: ${effect}, unsupported taint effect`,
      )
    if (minus === '-') removed.push({ key, ...(effect === undefined ? {} : { effect }) })
    else added.push({ key, ...(value === '' ? {} : { value }), effect: effect! })
  }
  const both = added.filter((a) => removed.some((b) => a.key === b.key && a.effect === b.effect))
  if (both.length > 0)
    throw new Fault(
      `error: can not both modify and remove the following taint(s) in the same command: ${both.map(({ key, effect }) => `${key}=${effect}`).join(', ')}`,
    )
  return { added, removed }
}

const selecting = { ...dryRunFlag, selector: manyFlags.selector } as const

async function nodes(c: Context): Promise<Found[]> {
  const of = await findResource(await c.discovery(), 'nodes')
  const selector = c.flags.text('selector')
  if (c.args.length === 0 && selector === '') {
    const word = c.command.split(' ').at(-1)
    throw c.misuse(`USAGE: ${word} NODE [flags]`)
  }
  if (c.args.length > 0 && selector !== '')
    throw c.misuse('cannot specify both a node name and a --selector option')
  if (selector !== '') {
    return (await readAll(c, { of, namespace: '', name: '' }, { labelSelector: selector })).map(
      (object) => ({ of, namespace: '', name: object.metadata.name ?? '', object }),
    )
  }
  const found: Found[] = []
  for (const word of c.args) {
    const name = word.replace(/^(nodes?|no)\//, '')
    found.push({ of, namespace: '', name, object: await readOne(c, { of, namespace: '', name }) })
  }
  return found
}

async function setSchedulable(c: Context, one: Found, isCordoned: boolean): Promise<void> {
  const done = await Done.of(c, dryRunOf(c))
  const now = (one.object as unknown as NodeObject).spec?.unschedulable ?? false
  const word = isCordoned ? 'cordoned' : 'uncordoned'
  if (now === isCordoned) return done.say(one.object, `already ${word}`)
  if (dryRunOf(c) !== 'client') {
    const api = await c.api()
    await api.json({
      method: 'PATCH',
      path: resourcePath(one.of, '', one.name),
      query: await writeQuery(c, 'drain'),
      body: { spec: { unschedulable: isCordoned ? true : null } },
      type: 'application/strategic-merge-patch+json',
    })
  }
  await done.say(one.object, word)
}

export const cordon: Command = {
  use: 'NODE',
  text: 'Marks nodes as unschedulable.',
  flags: selecting,
  run: async (c) => forEach(await nodes(c), (one) => setSchedulable(c, one, true)),
}

export const uncordon: Command = {
  use: 'NODE',
  text: 'Marks nodes as schedulable.',
  flags: selecting,
  run: async (c) => forEach(await nodes(c), (one) => setSchedulable(c, one, false)),
}

export const drain: Command = {
  use: 'NODE',
  text: 'Marks nodes as unschedulable and evicts their pods.',
  flags: {
    ...selecting,
    'chunk-size': {
      type: 'int',
      default: '500',
      help: 'Accepted for compatibility.',
      isHidden: true,
    },
    'delete-emptydir-data': {
      type: 'bool',
      help: 'Continue even if there are pods using emptyDir (local data that will be deleted when the node is drained).',
    },
    'disable-eviction': {
      type: 'bool',
      help: 'Force drain to use delete, even if eviction is supported. This will bypass checking PodDisruptionBudgets, use with caution.',
    },
    force: {
      type: 'bool',
      help: 'Continue even if there are pods that do not declare a controller.',
    },
    'grace-period': {
      type: 'int',
      default: '-1',
      help: 'Period of time in seconds given to each pod to terminate gracefully. If negative, the default value specified in the pod will be used.',
    },
    'ignore-daemonsets': { type: 'bool', help: 'Ignore DaemonSet-managed pods.' },
    'pod-selector': { type: 'text', help: 'Label selector to filter pods on the node' },
    'skip-wait-for-delete-timeout': {
      type: 'int',
      default: '0',
      help: 'If pod DeletionTimestamp older than N seconds, skip waiting for the pod.',
    },
    timeout: {
      type: 'duration',
      default: '0s',
      help: 'The length of time to wait before giving up, zero means infinite',
    },
  },
  async run(c) {
    const found = await nodes(c)
    for (const one of found) await setSchedulable(c, one, true)
    for (const one of found) {
      const pods = await podsOf(c, one)
      for (const pod of pods) await evict(c, pod)
      const suffix =
        dryRunOf(c) === 'none' ? '' : ` (${dryRunOf(c) === 'client' ? '' : 'server '}dry run)`
      c.out(`node/${one.name} drained${suffix}\n`)
    }
  },
}

const nameOf = ({ metadata }: ApiObject) => `${metadata?.namespace}/${metadata?.name}`

/** Pods to evict. Throws a Fault when some must not be, without the flags that allow it. */
async function podsOf(c: Context, node: Found): Promise<LiveObject[]> {
  const of = await findResource(await c.discovery(), 'pods')
  const mirror = (await c.words()).resolve('{label}/config.mirror')
  const all = await readAll(
    c,
    { of, namespace: '', name: '' },
    {
      fieldSelector: `spec.nodeName=${node.name}`,
      labelSelector: c.flags.text('pod-selector') || undefined,
    },
  )
  const groups: Record<'daemon' | 'data' | 'bare', string[]> = { daemon: [], data: [], bare: [] }
  const pods = all.filter((object) => {
    const { spec, status } = object as unknown as PodObject
    const owner = (object.metadata.ownerReferences ?? []).find(({ controller }) => controller)
    if (Object.hasOwn(object.metadata.annotations ?? {}, mirror)) return false
    const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed'
    if (owner?.kind === 'DaemonSet' && !isOver) {
      groups.daemon.push(nameOf(object))
      return false
    }
    if (!owner && !isOver) groups.bare.push(nameOf(object))
    if (!isOver && (spec?.volumes ?? []).some(({ emptyDir }) => emptyDir))
      groups.data.push(nameOf(object))
    return true
  })
  const problems = [
    ...(groups.daemon.length > 0 && !c.flags.is('ignore-daemonsets')
      ? [
          `cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): ${groups.daemon.join(', ')}`,
        ]
      : []),
    ...(groups.data.length > 0 && !c.flags.is('delete-emptydir-data')
      ? [
          `cannot delete Pods with local storage (use --delete-emptydir-data to override): ${groups.data.join(', ')}`,
        ]
      : []),
    ...(groups.bare.length > 0 && !c.flags.is('force')
      ? [
          `cannot delete Pods declare no controller (use --force to override): ${groups.bare.join(', ')}`,
        ]
      : []),
  ]
  if (problems.length > 0) {
    throw new Fault(
      `error: unable to drain node "${node.name}" due to error:${problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`}, continuing command...\nThere are pending nodes to be drained:\n ${node.name}\n${problems.join('\n')}`,
    )
  }
  warnOf(c, groups)
  return pods
}

/** Says what the flags allowed. */
function warnOf(
  c: Context,
  groups: Readonly<Record<'daemon' | 'data' | 'bare', readonly string[]>>,
): void {
  const ignored = [
    ...(groups.daemon.length > 0
      ? [`ignoring DaemonSet-managed Pods: ${groups.daemon.join(', ')}`]
      : []),
    ...(groups.data.length > 0
      ? [`deleting Pods with local storage: ${groups.data.join(', ')}`]
      : []),
    ...(groups.bare.length > 0
      ? [`deleting Pods that declare no controller: ${groups.bare.join(', ')}`]
      : []),
  ]
  if (ignored.length > 0) c.err(`Warning: ${ignored.join('; ')}\n`)
}

const RETRY_MS = 5000

async function evict(c: Context, pod: LiveObject): Promise<void> {
  const of = await findResource(await c.discovery(), 'pods')
  const { name = '', namespace = '', uid = '' } = pod.metadata
  const what = { of, namespace, name }
  const grace = c.flags.int('grace-period')
  if (dryRunOf(c) === 'client') return c.out(`evicting pod ${namespace}/${name} (dry run)\n`)
  if (c.flags.is('disable-eviction')) {
    await deleteOne(c, what, {
      graceSeconds: grace,
      cascade: 'background',
      isDryRun: dryRunOf(c) === 'server',
    })
  } else await evictOne(c, what, grace)
  if (dryRunOf(c) !== 'none') return
  await untilGone(c, what, { uid, timeoutMs: c.flags.duration('timeout') })
  c.out(`pod/${name} evicted\n`)
}

async function evictOne(
  c: Context,
  what: { of: Found['of']; namespace: string; name: string },
  grace: number,
): Promise<void> {
  const api = await c.api()
  const end =
    c.flags.duration('timeout') === 0 ? Infinity : c.io.now() + c.flags.duration('timeout')
  const { namespace, name } = what
  const suffix = dryRunOf(c) === 'server' ? ' (server dry run)' : ''
  c.out(`evicting pod ${namespace}/${name}${suffix}\n`)
  for (;;) {
    try {
      await api.json({
        method: 'POST',
        path: `${resourcePath(what.of, namespace, name)}/eviction`,
        query: dryRunOf(c) === 'server' ? { dryRun: 'All' } : {},
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name, namespace },
          ...(grace < 0 ? {} : { deleteOptions: { gracePeriodSeconds: grace } }),
        },
      })
      return
    } catch (error) {
      if (error instanceof StatusError && error.reason === 'NotFound') return
      if (!(error instanceof StatusError) || error.code !== 429) throw error
      if (c.io.now() > end)
        throw new Fault(
          `error: error when evicting pods/${JSON.stringify(name)} -n ${JSON.stringify(namespace)}: global timeout reached: ${c.flags.text('timeout')}`,
        )
      c.err(
        `error when evicting pods/${JSON.stringify(name)} -n ${JSON.stringify(namespace)} (will retry after 5s): ${error.message}\n`,
      )
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

/** rollout status, history, undo, restart, pause, resume. */
import type { ApiObject } from '../../../client/transport.ts'
import { sameJson } from '../../../patch/json-value.ts'
import { findObjects, readAll, type Found, type LiveObject } from '../../api/find-objects.ts'
import type {
  ControllerRevisionObject,
  DaemonSetObject,
  DeploymentObject,
  StatefulSetObject,
} from '../../api/kind-types.ts'
import { selectorText } from '../../api/labels.ts'
import { sendChange } from '../../api/pod-template.ts'
import { findResource, resourcePath, singularName } from '../../api/resources.ts'
import { selectionFlags } from '../../api/selection.ts'
import { TimedOut, until } from '../../api/until.ts'
import {
  Done,
  dryRunFlag,
  dryRunOf,
  fileFlags,
  forEach,
  managerFlag,
  writeQuery,
} from '../../api/writing.ts'
import type { Command } from '../../base/command.ts'
import type { Context } from '../../base/context.ts'
import { Fault } from '../../base/faults.ts'
import { Columns } from '../../print/columns.ts'
import { outputFlags, printerOf, formatOf } from '../../print/output.ts'

const flags = { ...outputFlags, ...fileFlags, selector: selectionFlags.selector } as const
const changeFlags = { ...flags, ...managerFlag } as const

const label = ({ of, name }: Found) => `${singularName(of)}/${name}`

const noSupport = (what: string, { of, name }: Found) =>
  new Fault(
    `error: ${of.name}${of.group === '' ? '' : `.${of.group}`} "${name}" ${what} is not supported`,
  )

/** Changes one object and says what was done, or that it was so already. */
async function changed(
  c: Context,
  one: Found,
  {
    what,
    change,
    already,
  }: { what: string; change: (object: LiveObject) => void; already: string },
): Promise<void> {
  const copy = structuredClone(one.object)
  change(copy)
  if (sameJson(copy, one.object))
    throw new Fault(
      `error: ${one.of.name}${one.of.group === '' ? '' : `.${one.of.group}`} "${one.name}" ${already}`,
    )
  const query = await writeQuery(c, 'rollout')
  await (await Done.of(c)).say(await sendChange(c, one, { changed: copy, query }), what)
}

const pausing =
  (isPaused: boolean): Command['run'] =>
  async (c) =>
    forEach(await findObjects(c), async (one) => {
      if (one.of.kind !== 'Deployment') throw noSupport(isPaused ? 'pausing' : 'resuming', one)
      await changed(c, one, {
        what: isPaused ? 'paused' : 'resumed',
        already: isPaused ? 'is already paused' : 'is not paused',
        change: (object) => {
          const spec = object.spec as { paused?: boolean }
          if (isPaused) spec.paused = true
          else delete spec.paused
        },
      })
    })

export const rolloutPause: Command = {
  use: 'RESOURCE',
  text: 'Pauses deployments: changes of the template start no rollout until they are resumed.',
  flags: changeFlags,
  run: pausing(true),
}
export const rolloutResume: Command = {
  use: 'RESOURCE',
  text: 'Resumes paused deployments.',
  flags: changeFlags,
  run: pausing(false),
}

export const rolloutRestart: Command = {
  use: 'RESOURCE',
  text: 'Restarts the pods of workloads, a few at a time.',
  examples: [['A deployment', 'rollout restart deployment/web']],
  flags: changeFlags,
  async run(c) {
    const key = (await c.words()).resolve('{cli}.{label}/restartedAt')
    await forEach(await findObjects(c, c.args, { areAllMeant: true }), async (one) => {
      const spec = one.object.spec as { paused?: boolean; template?: object } | undefined
      if (!spec?.template || one.of.group !== 'apps') throw noSupport('restarting', one)
      if (spec.paused)
        throw new Fault(`error: can't restart paused deployment (run rollout resume first)`)
      await changed(c, one, {
        what: 'restarted',
        already: 'was restarted within the same second',
        change(object) {
          const template = (
            object.spec as { template: { metadata?: { annotations?: Record<string, string> } } }
          ).template
          const metadata = (template.metadata ??= {})
          metadata.annotations = {
            ...metadata.annotations,
            [key]: new Date(c.io.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
          }
        },
      })
    })
  },
}

interface Progress {
  readonly text: string
  readonly isDone: boolean
}

function deploymentProgress({ metadata, spec, status = {} }: DeploymentObject): Progress {
  const name = metadata?.name ?? ''
  const wait = (text: string) => ({
    text: `Waiting for deployment "${name}" rollout to finish: ${text}...\n`,
    isDone: false,
  })
  if ((metadata?.generation ?? 0) > Number(status.observedGeneration ?? 0)) {
    return { text: 'Waiting for deployment spec update to be observed...\n', isDone: false }
  }
  const failed = (status.conditions ?? []).find(
    ({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded',
  )
  if (failed) throw new Fault(`error: deployment "${name}" exceeded its progress deadline`)
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status
  const wanted = spec?.replicas ?? 1
  if (updatedReplicas < wanted)
    return wait(`${updatedReplicas} out of ${wanted} new replicas have been updated`)
  if (replicas > updatedReplicas)
    return wait(`${replicas - updatedReplicas} old replicas are pending termination`)
  if (availableReplicas < updatedReplicas)
    return wait(`${availableReplicas} of ${updatedReplicas} updated replicas are available`)
  return { text: `deployment "${name}" successfully rolled out\n`, isDone: true }
}

function daemonSetProgress({ metadata, spec, status }: DaemonSetObject): Progress {
  const name = metadata?.name ?? ''
  if (spec?.updateStrategy?.type !== undefined && spec.updateStrategy.type !== 'RollingUpdate') {
    throw new Fault('error: rollout status is only available for RollingUpdate strategy type')
  }
  if ((metadata?.generation ?? 0) > Number(status?.observedGeneration ?? 0)) {
    return { text: 'Waiting for daemon set spec update to be observed...\n', isDone: false }
  }
  const {
    updatedNumberScheduled: updated = 0,
    desiredNumberScheduled: wanted = 0,
    numberAvailable = 0,
  } = status ?? {}
  const wait = (text: string) => ({
    text: `Waiting for daemon set "${name}" rollout to finish: ${text}...\n`,
    isDone: false,
  })
  if (updated < wanted) return wait(`${updated} out of ${wanted} new pods have been updated`)
  if (numberAvailable < wanted)
    return wait(`${numberAvailable} of ${wanted} updated pods are available`)
  return { text: `daemon set "${name}" successfully rolled out\n`, isDone: true }
}

function statefulSetProgress({ metadata, spec, status }: StatefulSetObject): Progress {
  if (spec?.updateStrategy?.type !== undefined && spec.updateStrategy.type !== 'RollingUpdate') {
    throw new Fault('error: rollout status is only available for RollingUpdate strategy type')
  }
  if ((metadata?.generation ?? 0) > Number(status?.observedGeneration ?? 0)) {
    return { text: 'Waiting for statefulset spec update to be observed...\n', isDone: false }
  }
  const wanted = spec?.replicas ?? 1
  const {
    readyReplicas = 0,
    updatedReplicas = 0,
    updateRevision = '',
    currentRevision = '',
    currentReplicas = 0,
  } = status ?? {}
  if (readyReplicas < wanted)
    return { text: `Waiting for ${wanted - readyReplicas} pods to be ready...\n`, isDone: false }
  const partition = spec?.updateStrategy?.rollingUpdate?.partition ?? 0
  if (partition > 0) {
    if (updatedReplicas < wanted - partition) {
      return {
        text: `Waiting for partitioned roll out to finish: ${updatedReplicas} out of ${wanted - partition} new pods have been updated...\n`,
        isDone: false,
      }
    }
    return {
      text: `partitioned roll out complete: ${updatedReplicas} new pods have been updated...\n`,
      isDone: true,
    }
  }
  if (updateRevision !== currentRevision) {
    return {
      text: `waiting for statefulset rolling update to complete ${updatedReplicas} pods at revision ${updateRevision}...\n`,
      isDone: false,
    }
  }
  return {
    text: `statefulset rolling update complete ${currentReplicas} pods at revision ${currentRevision}...\n`,
    isDone: true,
  }
}

function progressOf(object: LiveObject, one: Found): Progress {
  const of = object as unknown
  if (one.of.kind === 'Deployment') return deploymentProgress(of as DeploymentObject)
  if (one.of.kind === 'DaemonSet') return daemonSetProgress(of as DaemonSetObject)
  if (one.of.kind === 'StatefulSet') return statefulSetProgress(of as StatefulSetObject)
  throw new Fault(`error: no status viewer has been implemented for ${one.of.kind}`)
}

/** A rollout that another change has overtaken is not the one that was asked about. */
function checkRevision(c: Context, one: Found, { metadata }: LiveObject): void {
  const wanted = c.flags.int('revision')
  if (wanted <= 0 || one.of.kind !== 'Deployment') return
  const key = Object.keys(metadata.annotations ?? {}).find((name) =>
    /^deployment\..*\/revision$/.test(name),
  )
  const running = Number(key === undefined ? 0 : metadata.annotations![key])
  if (running !== wanted)
    throw new Fault(
      `error: desired revision (${wanted}) is different from the running revision (${running})`,
    )
}

export const rolloutStatus: Command = {
  use: '(TYPE NAME | TYPE/NAME) [flags]',
  text: 'Shows the state of a rollout until it is done.',
  flags: {
    ...fileFlags,
    selector: selectionFlags.selector,
    revision: {
      type: 'int',
      default: '0',
      help: 'Pin to a specific revision for showing its status. Defaults to 0 (last revision).',
    },
    timeout: {
      type: 'duration',
      default: '0s',
      help: 'The length of time to wait before ending watch, zero means never.',
    },
    watch: {
      type: 'bool',
      short: 'w',
      default: 'true',
      help: "Watch the status of the rollout until it's done.",
    },
  },
  async run(c) {
    for (const one of await findObjects(c)) {
      let last = ''
      const show = (object: LiveObject | null): boolean => {
        if (object === null) throw new Fault('error: object has been deleted')
        checkRevision(c, one, object)
        const { text, isDone } = progressOf(object, one)
        if (text !== last) c.out(text)
        last = text
        return isDone || !c.flags.is('watch')
      }
      try {
        await until(c, one, { timeoutMs: c.flags.duration('timeout'), isDone: show })
      } catch (error) {
        if (error instanceof TimedOut) throw new Fault('error: timed out waiting for the condition')
        throw error
      }
    }
  },
}

interface Revision {
  readonly number: number
  readonly cause: string
  readonly template: unknown
  /** Of the object that holds it. */
  readonly object: LiveObject
}

const ownedBy = (object: ApiObject, owner: LiveObject): boolean =>
  (object.metadata?.ownerReferences ?? []).some(
    ({ uid, controller }) => controller && uid === owner.metadata.uid,
  )

async function revisionsOf(
  c: Context,
  one: Found,
  purpose: 'history' | 'rollbacker',
): Promise<Revision[]> {
  const v = await c.words()
  const causeKey = v.resolve('{label}/change-cause')
  const isDeployment = one.of.kind === 'Deployment'
  if (!isDeployment && one.of.kind !== 'DaemonSet' && one.of.kind !== 'StatefulSet') {
    throw new Fault(
      `error: error retrieving ${purpose} for "${one.of.kind}", no visitor method exists for {${one.of.group} ${one.of.kind}}`,
    )
  }
  const of = await findResource(
    await c.discovery(),
    isDeployment ? 'replicasets.apps' : 'controllerrevisions.apps',
  )
  const { selector } = one.object.spec as { selector?: { matchLabels?: Record<string, string> } }
  const query = { labelSelector: selectorText(selector?.matchLabels ?? {}) || undefined }
  const all = (await readAll(c, { of, namespace: one.namespace, name: '' }, query)).filter(
    (object) => ownedBy(object, one.object),
  )
  const revisions = all.map((object): Revision => {
    const { annotations = {} } = object.metadata
    const cause = annotations[causeKey] ?? '<none>'
    if (isDeployment) {
      const number = Number(annotations[v.resolve('deployment.{label}/revision')] ?? 0)
      return { number, cause, template: (object.spec as { template: unknown }).template, object }
    }
    const { revision, data } = object as unknown as ControllerRevisionObject
    return {
      number: Number(revision),
      cause,
      template: (data as { spec?: { template?: unknown } } | undefined)?.spec?.template,
      object,
    }
  })
  return revisions.sort((a, b) => a.number - b.number)
}

export const rolloutHistory: Command = {
  use: '(TYPE NAME | TYPE/NAME) [flags]',
  text: 'Shows earlier revisions of a workload.',
  flags: {
    ...flags,
    revision: {
      type: 'int',
      default: '0',
      help: 'See the details, including podTemplate of the revision specified',
    },
  },
  async run(c) {
    const wanted = c.flags.int('revision')
    for (const one of await findObjects(c)) {
      const revisions = await revisionsOf(c, one, 'history')
      if (wanted > 0 && revisions.length === 0) {
        c.out(`${label(one)} with revision #${wanted}\nNo rollout history found.\n`)
        continue
      }
      if (wanted > 0) {
        const found = revisions.find(({ number }) => number === wanted)
        if (!found) throw new Fault('error: unable to find the specified revision')
        const format = formatOf(c, false)
        if (format.name !== '') return c.out(await (await printerOf(c, format))(found.object))
        const { toYaml } = await import('../../../codec/yaml.ts')
        c.out(
          `${label(one)} with revision #${wanted}\nPod Template:\n${(await toYaml(found.template)).replace(/^(?=.)/gm, '  ')}\n`,
        )
        continue
      }
      c.out(`${label(one)} \n`)
      if (revisions.length === 0) {
        c.out('No rollout history found.\n')
        continue
      }
      const rows = revisions.map(({ number, cause }) => [String(number), cause])
      c.out(
        `${new Columns({ padding: 2, minWidth: 0 }).format([['REVISION', 'CHANGE-CAUSE'], ...rows])}\n`,
      )
    }
  },
}

export const rolloutUndo: Command = {
  use: '(TYPE NAME | TYPE/NAME) [flags]',
  text: 'Goes back to an earlier revision of a workload.',
  flags: {
    ...flags,
    ...dryRunFlag,
    'to-revision': {
      type: 'int',
      default: '0',
      help: 'The revision to rollback to. Default to 0 (last revision).',
    },
  },
  async run(c) {
    const wanted = c.flags.int('to-revision')
    const dryRun = dryRunOf(c)
    const done = await Done.of(c)
    const hash = (await c.words()).resolve('pod-template-hash')
    await forEach(await findObjects(c), async (one) => {
      if ((one.object.spec as { paused?: boolean } | undefined)?.paused) {
        throw new Fault(
          `error: you cannot rollback a paused deployment; resume it first with 'rollout resume' and try again`,
        )
      }
      const revisions = await revisionsOf(c, one, 'rollbacker')
      const target =
        wanted > 0 ? revisions.find(({ number }) => number === wanted) : revisions.at(-2)
      if (!target) {
        throw new Fault(
          wanted > 0
            ? `error: unable to find specified revision ${wanted} in history`
            : `error: no rollout history found for ${one.of.kind.toLowerCase()} "${one.name}"`,
        )
      }
      const template = structuredClone(target.template) as {
        metadata?: { labels?: Record<string, string> }
        $patch?: string
      }
      delete template.metadata?.labels?.[hash]
      delete template.$patch
      const live = (one.object.spec as { template: unknown }).template
      if (sameJson(template, live))
        return done.say(
          one.object,
          `skipped rollback (current template already matches revision ${target.number})`,
        )
      if (dryRun === 'client') return done.say(one.object, 'rolled back')
      const api = await c.api()
      await api.json({
        method: 'PATCH',
        path: resourcePath(one.of, one.namespace, one.name),
        query: dryRun === 'server' ? { dryRun: 'All' } : {},
        body: [{ op: 'replace', path: '/spec/template', value: template }],
        type: 'application/json-patch+json',
      })
      await done.say(one.object, 'rolled back')
    })
  },
}

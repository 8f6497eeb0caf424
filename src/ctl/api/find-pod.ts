import { Fault } from '../base/faults.ts'
import type { Context } from '../base/context.ts'
import { readAll, readOne } from './find-objects.ts'
import type { PodObject } from './kind-types.ts'
import { selectorText } from './labels.ts'
import { findResource } from './resources.ts'

/** The pod that a word names: a pod, or the first pod of a workload or service. */
export async function findPod(c: Context, word: string): Promise<PodObject> {
  const discovery = await c.discovery()
  const pods = await findResource(discovery, 'pods')
  const { name: namespace } = await c.namespace()
  const [type = '', name = ''] = word.includes('/') ? word.split('/') : ['pods', word]
  const of = await findResource(discovery, type)
  const object = await readOne(c, { of, namespace, name })
  if (of.kind === 'Pod') return object as unknown as PodObject
  const { selector } = (object.spec ?? {}) as {
    selector?: Record<string, unknown> & { matchLabels?: Record<string, string> }
  }
  const labels =
    of.kind === 'Service' || of.kind === 'ReplicationController'
      ? (selector as Record<string, string> | undefined)
      : selector?.matchLabels
  if (!labels) throw new Fault(`error: cannot attach to ${of.kind} ${name}: it selects no pods`)
  const all = await readAll(
    c,
    { of: pods, namespace, name: '' },
    { labelSelector: selectorText(labels) },
  )
  const running =
    all.find(({ status }) => (status as { phase?: string } | undefined)?.phase === 'Running') ??
    all[0]
  if (!running) throw new Fault(`error: no pods of ${of.kind.toLowerCase()}/${name} were found`)
  return running as unknown as PodObject
}

/** The container of a session: the named one, the default one, or the first. */
export async function containerOf(c: Context, pod: PodObject): Promise<string> {
  const given = c.flags.text('container')
  const { containers = [], initContainers = [] } = pod.spec ?? {}
  const names = [...containers, ...initContainers].map(({ name }) => name ?? '')
  if (given !== '') {
    if (names.includes(given)) return given
    throw new Fault(`error: container ${given} is not valid for pod ${pod.metadata?.name}`)
  }
  const key = (await c.words()).resolve('{cli}.{label}/default-container')
  const chosen = pod.metadata?.annotations?.[key]
  if (chosen !== undefined && names.includes(chosen)) return chosen
  if (containers.length > 1 && !(c.flags.has('quiet') && c.flags.is('quiet'))) {
    c.err(`Defaulted container "${names[0]}" out of: ${names.join(', ')}\n`)
  }
  return names[0] ?? ''
}

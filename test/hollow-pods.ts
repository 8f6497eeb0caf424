/** Pods that nothing runs: a test writes the statuses that an agent of a node would write. */
import { formatTime } from '../src/base/time.ts'
import type { InProcess, Made } from '../src/server/in-process.fixture.ts'
import type { RunningControllers } from '../src/controllers/index.ts'

/** What hollow pods need of a scene. */
interface Scene {
  readonly context: InProcess
  readonly running: RunningControllers
}

/** What an agent reports of a pod. */
interface Reported {
  /** `Running` by default. */
  readonly phase?: string
  /** Whether it is ready; as its phase says by default. */
  readonly ready?: boolean
  readonly [member: string]: unknown
}

/** The pods of the namespace `default`, after the controllers have done what they can. */
export class HollowPods {
  readonly #scene: Scene

  constructor(scene: Scene) {
    this.#scene = scene
  }

  async all(): Promise<Made[]> {
    const { context, running } = this.#scene
    await running.idle()
    const names = await context.hand.names(['v1', 'pods', 'default'])
    const pods = await Promise.all(
      names.map((name) => context.hand.get(['v1', 'pods', 'default', name])),
    )
    return pods.filter(Boolean)
  }

  /** Those that have not ended and are not being deleted. */
  async active(): Promise<Made[]> {
    return (await this.all()).filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(status.phase),
    )
  }

  /** Makes a pod ready, or reports another phase of it. */
  async report(name: string, { phase = 'Running', ready, ...rest }: Reported = {}): Promise<void> {
    const { context } = this.#scene
    const lastTransitionTime = formatTime(context.clock.now())
    const condition = {
      type: 'Ready',
      status: (ready ?? phase === 'Running') ? 'True' : 'False',
      lastTransitionTime,
    }
    const status = { phase, conditions: [condition], ...rest }
    await context.hand.patch(['v1', 'pods', 'default', name], { status }, 'status')
  }

  /** Makes all pods ready, and those that are created because of it; returns them. */
  async settle(wanted: (pod: Made) => boolean = () => true): Promise<Made[]> {
    for (;;) {
      const pods = await this.active()
      const waiting = pods.filter(
        (pod) => wanted(pod) && !pod.status.conditions?.some((one: Made) => one.status === 'True'),
      )
      if (waiting.length === 0) return pods
      for (const { metadata } of waiting) await this.report(metadata.name)
    }
  }
}

/** Type, reason and message of the events of a scene in the order of their creation, without those of some reasons. */
export async function eventTexts({ context, running }: Scene, about?: string): Promise<string[]> {
  await running.idle()
  const names = await context.hand.names(['v1', 'events', 'default'])
  const events = await Promise.all(
    names.map((name) => context.hand.get(['v1', 'events', 'default', name])),
  )
  return events
    .filter(
      ({ involvedObject: { kind, name } }) => about === undefined || `${kind}/${name}` === about,
    )
    .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .map(({ type, reason, message }) => `${type} ${reason} ${message}`)
}

/** Pods that controllers create from a template, and delete. */
import type { EventRecorder, ObjectReference } from '../../client/event-recorder.ts'
import { isNotFound, type ResourceClient } from '../../client/resource-client.ts'
import type { PodTemplateSpec } from '../../kinds/core/pod/pod-template.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { isDns1123Subdomain } from '../../meta/names.ts'
import { isNamespaceEnding } from '../endpoints/namespace-ending.ts'
import { controllerReference, type OwnerKind, type WithMeta } from './owner.ts'

/** What a controller adds to the metadata of a pod of its template. */
export interface PodChanges {
  /** The whole name; without it, one is generated from the name of the owner. */
  readonly name?: string
  readonly generateName?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
}

/** A pod to be created: metadata of the template with the owner as controller, and a copy of its spec. */
export function podOf(
  template: PodTemplateSpec,
  kind: OwnerKind,
  owner: WithMeta,
  changes: PodChanges = {},
): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {}
  const { name, generateName = namePrefix(owner) } = changes
  const metadata = {
    ...(name === undefined ? {} : { name }),
    generateName,
    labels: { ...labels, ...changes.labels },
    annotations: { ...annotations, ...changes.annotations },
    finalizers: [...(finalizers ?? []), ...(changes.finalizers ?? [])],
    ownerReferences: [controllerReference(kind, owner)],
  }
  return { metadata, spec: structuredClone(template.spec) } as unknown as Pod
}

/** The name of the owner and a hyphen, unless no pod name may begin so. */
function namePrefix({ metadata: { name = '' } }: WithMeta): string {
  // The hyphen is followed by generated characters.
  return isDns1123Subdomain(`${name}-a`).length === 0 ? `${name}-` : name
}

/** What writes of pods need. */
export interface PodWritesParts {
  /** Pods of all namespaces. */
  readonly pods: ResourceClient<Pod>
  readonly recorder: Pick<EventRecorder, 'event'>
}

/** Creates and deletes pods, and records both as events of their owner. */
export class PodWrites {
  readonly #parts: PodWritesParts

  constructor(parts: PodWritesParts) {
    this.#parts = parts
  }

  /** Creates a pod in the namespace of its owner; null: the namespace is being deleted. */
  async create(pod: Pod, about: ObjectReference): Promise<Pod | null> {
    const { pods, recorder } = this.#parts
    if (Object.keys(pod.metadata.labels ?? {}).length === 0)
      throw new Error('unable to create pods, no labels')
    try {
      const created = await pods.in(about.namespace ?? '').create(pod)
      recorder.event(
        about,
        'Normal',
        'SuccessfulCreate',
        `Created pod: ${created.metadata.name ?? ''}`,
      )
      return created
    } catch (error) {
      if (isNamespaceEnding(error)) return null
      recorder.event(about, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`)
      throw error
    }
  }

  /** Deletes a pod; false: it is gone already. */
  async delete({ metadata: { name = '' } }: Pod, about: ObjectReference): Promise<boolean> {
    const { pods, recorder } = this.#parts
    try {
      await pods.in(about.namespace ?? '').delete(name)
    } catch (error) {
      if (isNotFound(error)) return false
      recorder.event(about, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`)
      throw error
    }
    recorder.event(about, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`)
    return true
  }
}

/** The text of a failure as events and conditions show it. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

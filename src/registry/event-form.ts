import type { WaitingConversion } from '../catalogue/entry.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ChangeType } from '../cache/watch-hub.ts'
import { shownVersions } from './conversion.ts'

/** How events look in the form that was asked for. */
export interface EventForm {
  /** Same text, same bytes. */
  readonly id: string
  /** One event. For DELETED, `revision` is that of the deletion. */
  event(type: ChangeType, version: StoredObject, revision: number): Buffer
  bookmark(revision: number): Buffer
  error(status: unknown): Buffer
  /** Set when events of one stream differ by their place, so that frames are not shared. */
  readonly perStream?: boolean
  /** Set when objects have to be waited for: makes ready the events of these, and of no others. Rejects with StatusError. */
  readonly prepare?: (versions: readonly StoredObject[]) => Promise<void>
}

/** Events of objects that have to be waited for, in the form of those that are in their version already. */
export function convertedEvents(waiting: WaitingConversion, form: EventForm): EventForm {
  let ready: ReadonlyMap<StoredObject, StoredObject> = new Map()
  return {
    id: form.id,
    perStream: true,
    bookmark: (revision) => form.bookmark(revision),
    error: (status) => form.error(status),
    async prepare(versions) {
      const shown = await shownVersions(waiting, versions)
      ready = new Map(versions.map((version, i) => [version, shown[i]!]))
    },
    event(type, version, revision) {
      const shown = ready.get(version)
      if (!shown) throw new Error(`an event of ${version.key} was not made ready`)
      return form.event(type, shown, revision)
    },
  }
}

import type { WaitingConversion } from '../catalogue/entry.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ChangeType } from '../cache/watch-hub.ts'
import { shownVersions } from './conversion.ts'

/** Encoding of events in the requested form. */
export interface EventForm {
  /** Equal ids produce equal bytes. */
  readonly id: string
  /** One event. For DELETED, `revision` is that of the deletion. */
  event(type: ChangeType, version: StoredObject, revision: number): Buffer
  bookmark(revision: number): Buffer
  error(status: unknown): Buffer
  /** Set when events of one stream depend on their position, so that frames are not shared. */
  readonly perStream?: boolean
  /** Set with asynchronous conversion: prepares the events of these objects only. Rejects with StatusError. */
  readonly prepare?: (versions: readonly StoredObject[]) => Promise<void>
  /** Counts events, for metrics. */
  readonly counts?: {
    /** An event of so many bytes goes to so many clients. */
    sent(bytes: number, receivers: number): void
    /** So many present objects were sent as the first events. */
    initial(events: number): void
  }
}

/** Events of objects with asynchronous conversion, in the form of objects that already have the version. */
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

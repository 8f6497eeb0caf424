import type { Cache } from './cache.ts'
import type { Version } from './version.ts'
import type { WatchSink } from './watch-hub.ts'

/** Told of the values of one table, synchronously and in order of commit. Must not throw. */
export interface VersionHandler {
  /** Every value at the start, then each new one. */
  set(version: Version): void
  /** The last value of a key that is gone. */
  removed(version: Version): void
}

const NO_BYTES = Buffer.alloc(0)

// Nothing is sent anywhere: the frames of a follower are calls.
const NOWHERE: WatchSink = { write: () => true, drained: () => Promise.resolve(), closed: false }

let followers = 0

/**
 * Hands over every value of a table, resolves, and from then on each change while it is published, so that nothing is
 * lost or told twice. Returns what ends it. Costs nothing where nobody follows.
 */
export async function followVersions(
  cache: Cache,
  tablePrefix: string,
  handler: VersionHandler,
): Promise<() => void> {
  const table = await cache.table(tablePrefix)
  const watcher = cache.hub.watch(
    table,
    {
      id: `follower ${++followers}`,
      prefix: tablePrefix,
      matches: null,
      frame(type, version) {
        if (!watcher.stopped && version.fault === null) {
          if (type === 'DELETED') handler.removed(version)
          else handler.set(version)
        }
        return NO_BYTES
      },
    },
    NOWHERE,
    // Nothing is newer than this, so that the watcher is live at once and what is read next is where it begins.
    { from: cache.revision, onLost: () => {}, onEnd: () => {} },
  )
  for (const version of table.range(tablePrefix)) {
    if (watcher.stopped) break
    if (version.fault === null) handler.set(version)
  }
  return () => watcher.stop()
}

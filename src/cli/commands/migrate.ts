import { join, resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { eventLifetime } from '../../store/event-lifetime.ts'
import type { TimeToLive } from '../../store/expiry.ts'
import type { Engine } from '../../store/store.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import type { VocabularyName } from '../../vocabulary/vocabulary.ts'
import { choiceFlag, durationFlag, orNone, type Values } from '../flags.ts'
import { dataDirFlag, globalFlags, runDataCommand, type DataCommand } from './data-command.ts'
import { etcdFlags, etcdPlaceOf, type OpenEtcd } from './etcd-access.ts'

const words = Object.keys(vocabularies) as VocabularyName[]

/** Flags of the command. */
export const migrateFlags = {
  to: choiceFlag(['etcd', 'lmdb'], {
    section: 'Storage',
    default: 'etcd',
    help: 'Where objects go; they come from the other. The server must not run.',
  }),
  'data-dir': dataDirFlag('Data directory with the embedded store, or to make it in.'),
  vocabulary: choiceFlag(words, {
    section: 'Storage',
    default: words[0] ?? '',
    help: 'Brand words that the objects were made with.',
  }),
  'event-ttl': orNone(
    durationFlag({
      section: 'Storage',
      default: '1h',
      help: 'How long events live in the target, from the copy on; 0: as a server says that is started on it.',
    }),
  ),
  ...etcdFlags,
  ...globalFlags,
}

const MIGRATE = {
  flags: migrateFlags,
  common: ['to', 'data-dir', 'etcd-servers', 'etcd-cafile', 'vocabulary', 'event-ttl', 'help'],
  example: '--to etcd --etcd-servers http://127.0.0.1:2379',
}

/** Copies the store to another engine; resolves with the exit code. Throws FlagError. */
export function migrateCommand(command: DataCommand, args: readonly string[]): Promise<number> {
  return runDataCommand(command, MIGRATE, args, async (values) => {
    const place = etcdPlaceOf(values)
    const { openEtcd = openStandard } = command
    const dataDir = resolve(values['data-dir'])
    // The embedded store first: a wrong directory is told before anything is connected.
    if (values.to === 'etcd') {
      const from = await openEmbedded(dataDir, values)
      await closing(from, async () => {
        const to = await openEtcd(place, lifetimeOf(values))
        await closing(to, () => toEngine(command, from, to))
      })
    } else {
      const from = await openEtcd(place)
      await closing(from, () => toEmbedded(command, from, dataDir, values))
    }
  })
}

/** A dead address is told soon; a busy etcd has time. */
const DIAL_TIMEOUT_MS = 20_000
const REQUEST_TIMEOUT_MS = 30_000

const openStandard: OpenEtcd = async (place, ttlMs) => {
  const { openEtcd } = await import('../../store/etcd/engine.ts')
  return openEtcd({
    ...place,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    dialTimeoutMs: DIAL_TIMEOUT_MS,
    log: silentLog,
    clock: systemClock,
    ttlMs,
  })
}

type MigrateValues = Values<typeof migrateFlags>

const lifetimeOf = ({ 'event-ttl': ttlMs }: MigrateValues): TimeToLive | undefined =>
  ttlMs === 0 ? undefined : eventLifetime(ttlMs)

async function openEmbedded(dataDir: string, { vocabulary }: MigrateValues): Promise<Engine> {
  const { openLmdbSnapshot } = await import('../../store/lmdb/snapshot.ts')
  const { openLmdb } = await import('../../store/lmdb/engine.ts')
  const dir = join(dataDir, 'store')
  // Opening makes a store where there is none; looking at it does not.
  await (await openLmdbSnapshot(dir)).close()
  return openLmdb({ dir, clock: systemClock, format: { vocabulary }, verify: 'all' })
}

async function toEngine({ terminal }: DataCommand, from: Engine, to: Engine): Promise<void> {
  const { copyStore } = await import('../../store/backup/copy.ts')
  const { objects, moved, revision } = await copyStore(from, to, {
    onProgress: (at, last) => terminal.err(`at revision ${at} of ${last}\n`),
  })
  const versions =
    moved === 0 ? 'with their versions' : `with versions ${moved} later than they were`
  terminal.out(
    `copied ${objects} objects ${versions} to ${to.name}, which is at revision ${revision} now\n`,
  )
}

async function toEmbedded(
  { terminal }: DataCommand,
  from: Engine,
  dataDir: string,
  values: MigrateValues,
): Promise<void> {
  const { installStore } = await import('../../store/backup/install.ts')
  const { itemsOf } = await import('../../store/backup/snapshot.ts')
  const revision = from.revision()
  const objects = await installStore({
    dataDir,
    clock: systemClock,
    format: { vocabulary: values.vocabulary },
    revision,
    items: itemsOf(from, revision),
    ttlMs: lifetimeOf(values),
  })
  terminal.out(
    `copied ${objects} objects with their versions to ${dataDir}, which is at revision ${revision} now\n`,
  )
}

async function closing(engine: Engine, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } finally {
    await engine.close()
  }
}

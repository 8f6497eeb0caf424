import { join, resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { eventLifetime } from '../../engine/event-lifetime.ts'
import type { TimeToLive } from '../../engine/expiry.ts'
import type { Engine } from '../../engine/engine.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import type { VocabularyName } from '../../vocabulary/vocabulary.ts'
import {
  boolFlag,
  choiceFlag,
  durationFlag,
  fileFlag,
  orNone,
  type Values,
} from '../../flags/flags.ts'
import { dataDirFlag, runDataCommand, type DataCommand } from './data-command.ts'
import { globalFlags } from '../../flags/global-flags.ts'
import { etcdPlaceOf, type OpenEtcd } from './etcd-access.ts'
import { etcdFlags } from '../../server/options/etcd-flags.ts'

const words = Object.keys(vocabularies) as VocabularyName[]

/** Flags of the command. */
const migrateFlags = {
  'in-place': boolFlag({
    section: 'Storage',
    help: 'Migrate the store from the previous format to the current one instead of copying it; the store in etcd if --etcd-servers is given.',
  }),
  to: choiceFlag(['etcd', 'lmdb'], {
    section: 'Storage',
    default: 'etcd',
    help: 'Target of the copy; the source is the other store. The server must not run.',
  }),
  'data-dir': dataDirFlag('Data directory of the embedded store.'),
  vocabulary: choiceFlag(words, {
    section: 'Storage',
    default: words[0] ?? '',
    help: 'Vocabulary of the objects.',
  }),
  'encryption-provider-config': fileFlag({
    section: 'Storage',
    help: 'With --in-place: encryption configuration of the server.',
  }),
  'event-ttl': orNone(
    durationFlag({
      section: 'Storage',
      default: '1h',
      help: 'How long events are kept in the target, counted from the copy; 0 leaves that to the server that is started on it.',
    }),
  ),
  ...etcdFlags,
  ...globalFlags,
}

const MIGRATE = {
  flags: migrateFlags,
  common: [
    'to',
    'in-place',
    'data-dir',
    'etcd-servers',
    'etcd-cafile',
    'vocabulary',
    'event-ttl',
    'help',
  ],
  example: '--to etcd --etcd-servers http://127.0.0.1:2379',
}

/** Copies the store to another engine, or moves it to today's format; resolves with the exit code. Throws FlagError. */
export function migrateCommand(command: DataCommand, args: readonly string[]): Promise<number> {
  return runDataCommand(command, MIGRATE, args, async (values) => {
    if (values['in-place']) return upgrade(command, values)
    const place = etcdPlaceOf(values)
    const { openEtcd = openStandard } = command
    const dataDir = resolve(values['data-dir'])
    // The embedded store first: a wrong directory is reported before any connection.
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

async function upgrade({ terminal }: DataCommand, values: MigrateValues): Promise<void> {
  const { upgradeDataDir, upgradeEtcdPlace } = await import('../../server/upgrade.ts')
  const vocabulary = values.vocabulary
  const encryptionConfigFile = values['encryption-provider-config']
  if (values['etcd-servers'].length > 0) {
    const moved = await upgradeEtcdPlace(etcdPlaceOf(values), { vocabulary, encryptionConfigFile })
    terminal.out(`moved ${moved} objects to today's format\n`)
    return
  }
  const {
    objects,
    revision,
    oldFile: kept,
  } = await upgradeDataDir({
    dataDir: resolve(values['data-dir']),
    vocabulary,
    encryptionConfigFile,
    eventTtlMs: values['event-ttl'],
  })
  terminal.out(
    `moved ${objects} objects at revision ${revision} to today's format; the data as it was is kept in ${kept}, which may be removed\n`,
  )
}

/** An unreachable address is reported soon; a busy etcd gets time. */
const DIAL_TIMEOUT_MS = 20_000
const REQUEST_TIMEOUT_MS = 30_000

const openStandard: OpenEtcd = async (place, ttlMs) => {
  const { openEtcd } = await import('../../engine/etcd/engine.ts')
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
  const { openLmdbSnapshot } = await import('../../engine/lmdb/snapshot.ts')
  const { openLmdb } = await import('../../engine/lmdb/engine.ts')
  const dir = join(dataDir, 'store')
  // Opening creates a missing store; a check of its existence does not.
  await (await openLmdbSnapshot(dir)).close()
  return openLmdb({ dir, clock: systemClock, format: { vocabulary }, verify: 'all' })
}

async function toEngine({ terminal }: DataCommand, from: Engine, to: Engine): Promise<void> {
  const { copyStore } = await import('../../engine/backup/copy.ts')
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
  const { installStore } = await import('../../engine/backup/install.ts')
  const { itemsOf } = await import('../../engine/backup/snapshot.ts')
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

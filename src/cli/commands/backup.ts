import { join, resolve } from 'node:path'
import { boolFlag, choiceFlag } from '../../flags/flags.ts'
import { dataDirFlag, pathFlag, runDataCommand, type DataCommand } from './data-command.ts'
import { globalFlags } from '../../flags/global-flags.ts'
import { etcdPlaceOf } from './etcd-access.ts'
import { etcdFlags } from '../../server/options/etcd-flags.ts'

/** Flags of the command. */
const backupFlags = {
  file: pathFlag('File to write; must not exist.'),
  'data-dir': dataDirFlag('Data directory of the server, which may be running.'),
  store: choiceFlag(['lmdb', 'etcd'], {
    section: 'Storage',
    default: 'lmdb',
    help: 'Storage engine to back up. For etcd this takes a snapshot of etcd itself.',
  }),
  'with-pki': boolFlag({
    section: 'Storage',
    help: 'Include the keys and certificates of the data directory.',
  }),
  ...etcdFlags,
  ...globalFlags,
}

const BACKUP = {
  flags: backupFlags,
  common: ['file', 'data-dir', 'with-pki', 'store', 'etcd-servers', 'help'],
  example: '--file ./saved.backup --with-pki',
}

/** Writes a state of the store to a file; resolves with the exit code. Throws FlagError. */
export function backupCommand(command: DataCommand, args: readonly string[]): Promise<number> {
  return runDataCommand(command, BACKUP, args, async (values) => {
    const path = resolve(values.file)
    const say = (text: string) => command.terminal.out(`${text}\n`)
    if (values.store === 'etcd') {
      if (values['with-pki']) throw new Error('--with-pki is for --store lmdb')
      const place = etcdPlaceOf(values)
      const { readEtcdSnapshot } = await import('../../engine/backup/etcd-stream.ts')
      const { writeEtcdSnapshot } = await import('../../engine/backup/etcd-snapshot.ts')
      const bytes = await writeEtcdSnapshot(path, readEtcdSnapshot(place))
      return say(`wrote a snapshot of etcd to ${path}, ${bytes} bytes`)
    }
    const { openLmdbSnapshot } = await import('../../engine/lmdb/snapshot.ts')
    const { writeBackup } = await import('../../engine/backup/write.ts')
    const { readPkiFiles } = await import('../../engine/backup/pki-files.ts')
    const dataDir = resolve(values['data-dir'])
    const files = values['with-pki'] ? await readPkiFiles(dataDir) : []
    const snapshot = await openLmdbSnapshot(join(dataDir, 'store'))
    try {
      const heading = await writeBackup(snapshot, { path, timeMs: Date.now(), files })
      const keys = files.length > 0 ? ` and ${files.length} files of keys` : ''
      say(`wrote ${heading.objects} objects at revision ${heading.revision}${keys} to ${path}`)
    } finally {
      await snapshot.close()
    }
  })
}

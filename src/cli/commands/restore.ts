import { resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import type { VocabularyName } from '../../vocabulary/vocabulary.ts'
import { boolFlag, fileFlag, intFlag } from '../../flags/flags.ts'
import { dataDirFlag, pathFlag, runDataCommand, type DataCommand } from './data-command.ts'
import { globalFlags } from '../../flags/global-flags.ts'

/** Flags of the command. */
const restoreFlags = {
  file: pathFlag('Backup to read.'),
  'data-dir': dataDirFlag('Data directory in which the store is created; must not contain one.'),
  'revision-bump': intFlag(
    { min: 1, max: 1_000_000_000_000 },
    {
      section: 'Storage',
      default: '1000000',
      help: 'Minimum number by which revisions are increased; must exceed the number of revisions since the backup.',
    },
  ),
  'encryption-provider-config': fileFlag({
    section: 'Storage',
    help: 'Encryption configuration of the server; required for an encrypted backup of the previous format.',
  }),
  check: boolFlag({
    section: 'Storage',
    help: 'Only read and verify the backup.',
  }),
  ...globalFlags,
}

const RESTORE = {
  flags: restoreFlags,
  example: '--file ./saved.backup --data-dir ./restored',
}

/** Creates a store from a backup; resolves with the exit code. Throws FlagError. */
export function restoreCommand(command: DataCommand, args: readonly string[]): Promise<number> {
  return runDataCommand(command, RESTORE, args, async (values) => {
    const { checkBackup, restoreBackup } = await import('../../engine/backup/restore.ts')
    const path = resolve(values.file)
    if (values.check) {
      const { objects, revision, time, files } = await checkBackup(path)
      const keys = files > 0 ? ` and ${files} files of keys` : ''
      command.terminal.out(
        `${path} is good: ${objects} objects at revision ${revision}${keys}, taken ${time}\n`,
      )
      return
    }
    const dataDir = resolve(values['data-dir'])
    const bump = values['revision-bump']
    const { heading, revision } = await restoreBackup({
      path,
      dataDir,
      bump,
      clock: systemClock,
      format1: async ({ format }) => {
        const { format1 } = await import('../../server/upgrade.ts')
        const vocabulary = format['vocabulary'] as VocabularyName
        return format1({ vocabulary, encryptionConfigFile: values['encryption-provider-config'] })
      },
    })
    const keys = heading.files > 0 ? ` and ${heading.files} files of keys` : ''
    command.terminal.out(
      `restored ${heading.objects} objects of revision ${heading.revision}${keys} to ${dataDir}, which is at revision ${revision} now\n`,
    )
  })
}

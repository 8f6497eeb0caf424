import { product } from '../../vocabulary/index.ts'
import { join, resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { boolFlag, intFlag } from '../../flags/flags.ts'
import { dataDirFlag, runDataCommand, type DataCommand } from './data-command.ts'
import { globalFlags } from '../../flags/global-flags.ts'

/** Flags of the command. */
const cutJournalFlags = {
  'data-dir': dataDirFlag('Data directory of a server that is not running.'),
  'revision-bump': intFlag(
    { min: 1, max: 1_000_000_000_000 },
    {
      section: 'Storage',
      default: '1000000',
      help: 'Minimum number by which revisions are increased; must exceed the number of lost revisions.',
    },
  ),
  'allow-unlocked-data-dir': boolFlag({
    section: 'Storage',
    help: 'Use a data directory whose file system has no locks.',
  }),
  ...globalFlags,
}

const CUT_JOURNAL = { flags: cutJournalFlags, example: `--data-dir ./${product.dataDir}` }

const given = (lost: number | null): string =>
  lost === null ? 'all later writes were' : lost === 1 ? '1 write was' : `${lost} writes were`

/**
 * Removes a damaged journal's content from the damage on, or does without one that is missing; resolves with the exit
 * code. Throws FlagError.
 */
export function cutJournalCommand(command: DataCommand, args: readonly string[]): Promise<number> {
  return runDataCommand(command, CUT_JOURNAL, args, async (values) => {
    const { terminal, name } = command
    const { cutJournal } = await import('../../engine/lmdb/cut-journal.ts')
    const dir = join(resolve(values['data-dir']), 'store')
    const cut = await cutJournal(dir, {
      clock: systemClock,
      bump: values['revision-bump'],
      onReadable: (what) => terminal.err(`${name}: ${what}\n`),
      ...(values['allow-unlocked-data-dir']
        ? { onUnlocked: (why: string) => terminal.err(`${name}: ${why}\n`) }
        : {}),
    })
    terminal.out(
      cut === null
        ? `the journal of ${dir} is not damaged; nothing was changed\n`
        : `${dir} has everything up to revision ${cut.kept}; ${given(cut.lost)} given up, and it is at revision ${cut.revision} now\n`,
    )
  })
}

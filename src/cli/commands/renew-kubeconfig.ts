import { resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { intFlag } from '../../flags/flags.ts'
import { globalFlags } from '../../flags/global-flags.ts'
import { product } from '../../vocabulary/index.ts'
import { dataDirFlag, runDataCommand, type DataCommand } from './data-command.ts'

/** Flags of the command. */
const renewFlags = {
  'data-dir': dataDirFlag('Data directory of a server, which may be running.'),
  days: intFlag(
    { min: 1, max: 3650 },
    {
      section: 'Certificates',
      default: '365',
      help: 'Days for which the new certificate is valid; at most as long as that of the authority.',
    },
  ),
  ...globalFlags,
}

const RENEW = { flags: renewFlags, example: `--data-dir ./${product.dataDir}` }

/** Gives `admin.kubeconfig` a new certificate; resolves with the exit code. Throws FlagError. */
export function renewKubeconfigCommand(
  command: DataCommand,
  args: readonly string[],
): Promise<number> {
  return runDataCommand(command, RENEW, args, async ({ 'data-dir': dataDir, days }) => {
    const { renewAdmin } = await import('../../server/admin-certificate.ts')
    const { path, validTo } = await renewAdmin(resolve(dataDir), {
      nowMs: systemClock.now(),
      days,
    })
    command.terminal.out(`${path} is valid until ${validTo.toISOString()}\n`)
  })
}

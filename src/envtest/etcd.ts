/** The stand-in for etcd: a process that lives as long as etcd would, so that the server's data directory does. */
import { resolve } from 'node:path'
import { plainReason } from '../base/plain-reason.ts'
import { FlagError, parseFlags } from '../flags/flags.ts'
import { helpText } from '../flags/help.ts'
import { dropIn } from '../vocabulary/index.ts'
import { markDataFolder } from './data-folder.ts'
import { etcdFlags, ignoredEtcdFlags } from './etcd-flags.ts'
import { endpointOf, ETCD_VERSION, listenAsEtcd } from './etcd-listener.ts'
import { ignoredLine, sift } from './known-flags.ts'

/** Output of the program, and requests to end it. */
export interface Around {
  out(text: string): void
  err(text: string): void
  onEnd(call: () => void): void
}

const HELP = {
  name: dropIn.etcd,
  about:
    'Stands in for etcd in test environments: answers health checks and keeps the data directory.',
  example: '--data-dir ./default.etcd --listen-client-urls http://127.0.0.1:2379',
  flags: { ...etcdFlags, ...ignoredEtcdFlags },
}

/** Runs until it is to end; resolves with the exit code. */
export async function runEtcd(args: readonly string[], around: Around): Promise<number> {
  const say = (text: string) => around.err(`${dropIn.etcd}: ${text}\n`)
  try {
    return await run(args, around, say)
  } catch (error) {
    const { code, port, address } = error as NodeJS.ErrnoException & {
      readonly port?: number
      readonly address?: string
    }
    if (error instanceof FlagError) say(`${error.message}\nSee ${dropIn.etcd} --help.`)
    else if (code === 'EADDRINUSE') say(`address ${address}:${port} is in use`)
    else say(plainReason(error))
    return 1
  }
}

async function run(
  args: readonly string[],
  around: Around,
  say: (text: string) => void,
): Promise<number> {
  // Its original takes one dash as well.
  const dashed = args.map((arg) => arg.replace(/^-(?=[a-z][\w-]+)/, '--'))
  const { kept, taken } = sift(dashed, ignoredEtcdFlags)
  const values = parseFlags(etcdFlags, kept)
  if (values.help) {
    around.out(helpText(HELP))
    return 0
  }
  if (values.version) {
    around.out(`etcd Version: ${ETCD_VERSION}\n`)
    return 0
  }
  const warning = ignoredLine(taken)
  if (warning !== null) say(warning)
  const endpoints = values['listen-client-urls'].map(endpointOf)
  const ended = new Promise<void>((end) => around.onEnd(end))
  const folder = markDataFolder(resolve(values['data-dir'] || `${values.name}.etcd`))
  const listening = await listenAsEtcd(endpoints, folder)
  await ended
  listening.close()
  return 0
}

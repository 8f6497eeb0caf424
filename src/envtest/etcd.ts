/** The stand-in for etcd: a process that lives as long as etcd would, so that the server's data directory does. */
import { resolve } from 'node:path'
import { plainReason } from '../base/plain-reason.ts'
import { FlagError, parseFlags } from '../flags/flags.ts'
import { helpText } from '../flags/help.ts'
import { dropIn } from '../vocabulary/index.ts'
import { markDataFolder, type DataFolder } from './data-folder.ts'
import { etcdFlags, ignoredEtcdFlags } from './etcd-flags.ts'
import { endpointOf, ETCD_VERSION, listenAsEtcd, type Endpoint } from './etcd-listener.ts'
import { foreignLine, type Speech } from './foreign-clients.ts'
import { ignoredLine, sift } from './known-flags.ts'
import { planned } from './waiter.ts'

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
export function runEtcd(args: readonly string[], around: Around): Promise<number> {
  return telling(around, async (say) => {
    const member = memberOf(args, around, say)
    if (member === null) return 0
    const ended = new Promise<void>((end) => around.onEnd(end))
    const heard = new Set<Speech>()
    const listening = await listenAsEtcd(member.endpoints, member.folder, (speech) => {
      if (heard.has(speech)) return
      heard.add(speech)
      say(foreignLine(speech))
    })
    await ended
    listening.close()
    return 0
  })
}

/** Does all but listen: gives the plan of what waits in its place, or nothing where there is nothing to wait for. */
export function planEtcd(
  args: readonly string[],
  around: Around,
  give: (plan: string) => void,
): Promise<number> {
  return telling(around, (say) => {
    const member = memberOf(args, around, say)
    if (member !== null) give(planned(member.endpoints, member.folder))
    return Promise.resolve(0)
  })
}

async function telling(
  around: Around,
  work: (say: (text: string) => void) => Promise<number>,
): Promise<number> {
  const say = (text: string) => around.err(`${dropIn.etcd}: ${text}\n`)
  try {
    return await work(say)
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

interface Member {
  readonly endpoints: readonly Endpoint[]
  readonly folder: DataFolder
}

/** Where to listen and what is answered; null when only help was asked for. Marks the directory. Throws an Error. */
function memberOf(
  args: readonly string[],
  around: Around,
  say: (text: string) => void,
): Member | null {
  // Its original takes one dash as well.
  const dashed = args.map((arg) => arg.replace(/^-(?=[a-z][\w-]+)/, '--'))
  const { kept, taken } = sift(dashed, ignoredEtcdFlags)
  const values = parseFlags(etcdFlags, kept)
  if (values.help) {
    around.out(helpText(HELP))
    return null
  }
  if (values.version) {
    around.out(`etcd Version: ${ETCD_VERSION}\n`)
    return null
  }
  const warning = ignoredLine(taken)
  if (warning !== null) say(warning)
  const endpoints = values['listen-client-urls'].map(endpointOf)
  return { endpoints, folder: markDataFolder(resolve(values['data-dir'] || `${values.name}.etcd`)) }
}

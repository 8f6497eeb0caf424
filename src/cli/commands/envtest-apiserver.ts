/** The server as test environments start it: with the flags of its original, over our stand-in for etcd or over an etcd. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { plainMessage, plainReason } from '../../base/plain-reason.ts'
import { gitVersion } from '../../base/version-info.ts'
import { apiserverFlags, ownSpelling } from '../../envtest/apiserver-flags.ts'
import { objectsDir } from '../../envtest/data-folder.ts'
import { findStore } from '../../envtest/find-store.ts'
import { ignoredLine, sift } from '../../envtest/known-flags.ts'
import { boolFlag, FlagError, parseFlags } from '../../flags/flags.ts'
import { serverFlags } from '../../server/options/server-flags.ts'
import { dropIn, product } from '../../vocabulary/index.ts'
import { helpText } from '../../flags/help.ts'
import type { Terminal } from '../terminal.ts'
import { serverCommand } from './server.ts'

/** Name, version and terminal of the program, and its environment. */
export interface ApiserverCommand {
  readonly version: string
  readonly terminal: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
}

const NAME = dropIn.apiserver
const ABOUT = `${product.title} with the flags of ${NAME}, for test environments.`
/** Test environments wait for the end of each server. */
const MOST_STOP_MS = 900

/** Resolves with the exit code. Throws FlagError. */
export async function envtestApiserver(
  { version, terminal, env }: ApiserverCommand,
  args: readonly string[],
): Promise<number> {
  const flags = apiserverFlags(serverFlags)
  const certDir = sift(
    args.map((arg) => (arg === '-h' ? '--help' : arg)),
    flags.certDir,
  )
  const ignored = sift(certDir.kept, flags.ignored)
  const words = parseFlags(wordFlags, sift(ignored.kept, wordFlags).taken.map(spelled))
  if (words.help || words['help-all']) {
    const example = '--etcd-servers=http://127.0.0.1:2379 --secure-port=6443'
    terminal.out(helpText({ about: ABOUT, name: NAME, flags: flags.all, example }))
    return 0
  }
  if (words.version) {
    terminal.out(`${dropIn.spoken.words.Brand} ${gitVersion(version)}\n`)
    return 0
  }
  const warning = ignoredLine(ignored.taken)
  if (warning !== null) terminal.err(`${NAME}: ${warning}\n`)
  let own: OwnArguments
  try {
    const pair = servingPair(certDir.taken.at(-1)?.[1] ?? '')
    own = await ownArguments([...pair, ...ignored.kept.map(ownSpelling)], env)
  } catch (error) {
    if (error instanceof FlagError) throw error
    terminal.err(`${NAME}: ${plainMessage(error)}\n`)
    return 1
  }
  const command = { name: NAME, about: ABOUT, version, terminal: hurried(terminal) }
  try {
    return await serverCommand(command, own.args)
  } finally {
    own.clear()
  }
}

/** Flags that are looked at before the others. */
const wordFlags = {
  help: boolFlag({ section: '', help: '' }),
  'help-all': boolFlag({ section: '', help: '' }),
  // It takes words as well.
  version: { ...boolFlag({ section: '', help: '' }), parse: (text: string) => text !== 'false' },
}

const spelled = ([name, value]: readonly [string, string]): string => `--${name}=${value}`

interface OwnArguments {
  readonly args: readonly string[]
  /** Removes what was made for them. */
  clear(): void
}

/** Arguments of the server command. Those that were given come last and win. */
async function ownArguments(
  args: readonly string[],
  env: ApiserverCommand['env'],
): Promise<OwnArguments> {
  const before = [
    `--vocabulary=${dropIn.spoken.name}`,
    ...(hasControllers(env) ? [] : ['--controllers=server']),
  ]
  const given = parseFlags(serverFlags, args)
  const [server] = given['etcd-servers']
  if (server === undefined) throw new Error('--etcd-servers must be specified')
  const folder = await foundAt(server)
  if (folder === null) return overEtcd(before, args)
  const dataDir = objectsDir(folder, given['etcd-prefix'])
  const { kept } = sift(args, { 'etcd-servers': serverFlags['etcd-servers'] })
  const store = [`--data-dir=${dataDir}`, '--store=lmdb', '--unsafe-no-fsync']
  return { args: [...before, ...store, ...kept], clear: () => {} }
}

async function foundAt(server: string) {
  try {
    return await findStore(server)
  } catch (cause) {
    throw new Error(`no etcd answers at ${server}: ${plainReason(cause)}`, { cause })
  }
}

/** Everything that lasts is in etcd, keys included: other files go with the process. */
function overEtcd(before: readonly string[], args: readonly string[]): OwnArguments {
  const dataDir = mkdtempSync(join(tmpdir(), `${product.command}-`))
  return {
    args: [...before, `--data-dir=${dataDir}`, ...args],
    clear: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

function hasControllers(env: ApiserverCommand['env']): boolean {
  const text = env[dropIn.controllersVariable] ?? ''
  if (text === '') return false
  try {
    return wordFlags.help.parse(text)
  } catch (cause) {
    throw new Error(
      `${dropIn.controllersVariable} must be true or false, not ${JSON.stringify(text)}`,
      { cause },
    )
  }
}

/** Names the pair in a directory, where there is one; flags of the pair come later and win. */
function servingPair(dir: string): readonly string[] {
  if (dir === '') return []
  const [cert, key] = ['apiserver.crt', 'apiserver.key'].map((name) => join(resolve(dir), name))
  if (!existsSync(cert!) || !existsSync(key!)) return []
  return [`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`]
}

/** Ends the process soon after a signal: requests that still run get no more time. */
function hurried(terminal: Terminal): Terminal {
  return {
    ...terminal,
    onSignal(call) {
      terminal.onSignal((signal) => {
        // Committed writes are with the system, which keeps them.
        setTimeout(() => terminal.exit(0), MOST_STOP_MS).unref()
        call(signal)
      })
    },
  }
}

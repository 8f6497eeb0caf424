/** Writes the executables of test environments. */
import { chmodSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { makeFolders } from '../../base/folders.ts'
import { plainMessage } from '../../base/plain-reason.ts'
import { launchers, smallHeap, type Programs } from '../../envtest/launchers.ts'
import { dropIn, product } from '../../vocabulary/index.ts'
import type { Terminal } from '../terminal.ts'

const EXECUTABLE = 0o755

/** What runs the command, and as what. */
export interface AssetsCommand {
  readonly name: string
  readonly about: string
  readonly terminal: Terminal
  /** By default those of this package, run as this process is. */
  readonly programs?: Programs
}

/** Resolves with the exit code. */
export function assetsCommand(
  { name, about, terminal, programs }: AssetsCommand,
  args: readonly string[],
): number {
  const [dir, ...more] = args
  if (dir === '--help' || dir === '-h') {
    terminal.out(`${about}\n\nUsage:\n  ${name} DIR\n\nExample:\n  ${name} ./envtest\n`)
    return 0
  }
  if (dir === undefined || dir === '' || dir.startsWith('-') || more.length > 0) {
    terminal.err(`${name}: needs one argument, the directory to write\nSee ${name} --help.\n`)
    return 1
  }
  if (process.platform === 'win32') {
    terminal.err(`${name}: test environments are served on Linux and macOS only\n`)
    return 1
  }
  const target = resolve(dir)
  try {
    makeFolders(target)
    for (const [file, text] of launchers(programs ?? ownPrograms(process.argv[1] ?? ''))) {
      const path = join(target, file)
      writeFileSync(path, text, { mode: EXECUTABLE })
      chmodSync(path, EXECUTABLE)
    }
  } catch (error) {
    terminal.err(`${name}: ${plainMessage(error)}\n`)
    return 1
  }
  terminal.out(`${dropIn.assetsVariable}=${target}\n`)
  return 0
}

/** Sources and built files are run by different means. */
function ownPrograms(script: string): Programs {
  const main = realpathSync(script)
  const bin = dirname(main)
  const extension = extname(main)
  const isBuilt = extension === '.js'
  const runtime = [process.execPath, ...process.execArgv]
  const etcd = isBuilt
    ? join(bin, 'envtest-etcd.js')
    : join(bin, '..', 'src', 'envtest', 'etcd-program.ts')
  return {
    apiserver: {
      runtime,
      program: main,
      args: ['envtest-apiserver'],
      env: smallHeap,
    },
    etcd: { runtime, program: etcd, args: [] },
    client: { runtime, program: join(bin, dropIn.ownClient + extension), args: [] },
  }
}

/** For the help of the program. */
export const ASSETS_ABOUT = `Writes programs that stand in for ${dropIn.apiserver}, ${dropIn.etcd} and ${dropIn.client} in test environments, and run ${product.title}.`

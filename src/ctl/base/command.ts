import type { Context } from './context.ts'
import type { FlagSpecs } from './flags.ts'

/** One command: what its help says, its flags, and what it does. */
export interface Command {
  /** Arguments, as in the usage line. */
  readonly use: string
  /** Several lines for its help. */
  readonly text: string
  /** Arguments without the program's name and the words of the command, with a comment each. */
  readonly examples?: readonly (readonly [comment: string, args: string])[]
  readonly flags?: FlagSpecs
  readonly run: (context: Context) => Promise<void>
}

/** A command, or words that commands begin with. */
export interface Listed {
  readonly about: string
  /** Heading in the help of the program; commands below another command have none. */
  readonly section?: string
  /** Other words for the last one. */
  readonly aliases?: readonly string[]
  /** Absent for words that are no command by themselves. */
  readonly load?: () => Promise<Command>
}

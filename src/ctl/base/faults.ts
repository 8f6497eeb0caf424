/** Ways in which a command fails. Each is shown as one line, without a stack. */

/** A command line that cannot be read; the help of the command is named after it. */
export class UsageFault extends Error {}

/** A command that is used wrongly: its message names where to read on. */
export class CommandFault extends Error {}

/** Any other failure whose message is meant for the user. */
export class Fault extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Several failures, each shown on its own. */
export class Faults extends Error {
  readonly errors: readonly unknown[]

  constructor(errors: readonly unknown[]) {
    super('several failures')
    this.errors = errors
  }
}

/** Ends with an exit code, without a message. */
export class SilentExit extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super('')
    this.exitCode = exitCode
  }
}

/** A server that no answer came from. */
export class Unreachable extends Error {
  /** Host and port. */
  readonly host: string

  constructor(message: string, host: string) {
    super(message)
    this.host = host
  }
}

/** Throws one of the failures as itself, several together. */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new Faults(errors)
}

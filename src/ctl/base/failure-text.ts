import { StatusError } from '../../meta/errors.ts'
import { CommandFault, Fault, Faults, SilentExit, Unreachable, UsageFault } from './faults.ts'

/** What is written to standard error, and the exit code. */
export interface FailureText {
  readonly text: string
  readonly code: number
}

/** How a failure is shown; `command` is the program with the words of the command. */
export function failureText(error: unknown, command: string): FailureText {
  if (error instanceof SilentExit) return { text: '', code: error.exitCode }
  if (error instanceof UsageFault) {
    return { text: `error: ${error.message}\nSee '${command} --help' for usage.\n`, code: 1 }
  }
  if (error instanceof CommandFault) {
    const hint = `See '${command} -h' for help and examples`
    return { text: `error: ${error.message}\n${hint}\n`, code: 1 }
  }
  if (error instanceof Faults) {
    return { text: error.errors.map((one) => `${messageOf(one)}\n`).join(''), code: 1 }
  }
  const text = wholeText(error)
  const code = error instanceof Fault ? error.exitCode : 1
  return { text: text.endsWith('\n') ? text : `${text}\n`, code }
}

function wholeText(error: unknown): string {
  if (error instanceof StatusError && error.reason === 'Invalid') return invalidText(error)
  const standard = standardText(error)
  if (standard !== null) return standard
  const message = error instanceof Error ? error.message : String(error)
  return /^(?:(?:error|Error in configuration): |the server doesn't have )/.test(message)
    ? message
    : `error: ${message}`
}

/** The text of one failure among others. */
export const messageOf = (error: unknown): string =>
  standardText(error) ?? (error instanceof Error ? error.message : String(error))

function standardText(error: unknown): string | null {
  if (error instanceof StatusError) {
    const { reason, message } = error
    if (reason === 'Unauthorized') {
      return `error: You must be logged in to the server (${message})`
    }
    return reason === ''
      ? `Error from server: ${message}`
      : `Error from server (${reason}): ${message}`
  }
  if (error instanceof Unreachable) {
    return error.message.includes('connection refused') && !error.message.includes('proxyconnect')
      ? `The connection to the server ${error.host} was refused - did you specify the right host or port?`
      : `Unable to connect to the server: ${error.message}`
  }
  return null
}

function invalidText({ details, message }: StatusError): string {
  if (!details || Object.keys(details).length === 0) return 'The request is invalid'
  const { kind = '', name = '', causes = [] } = details
  let head = 'The request is invalid'
  if (kind !== '' || name !== '') head = `The ${kind} ${JSON.stringify(name)} is invalid`
  else if (message !== '' && causes.length === 0) head += `: ${message}`
  if (causes.length === 0) return head
  const texts = new Set(causes.map(({ field = '', message: why = '' }) => `${field}: ${why}`))
  if (texts.size === 1) return `${head}: ${[...texts][0]}`
  return [`${head}: `, ...[...texts].map((text) => `* ${text}`), ''].join('\n')
}

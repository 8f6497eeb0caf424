/** Sessions with containers: channels for input, output, errors, the outcome, and the size of the terminal. */
import type { Api } from '../api/api.ts'
import { statusErrorOf } from '../../client/status-error.ts'
import { Fault, SilentExit } from '../base/faults.ts'
import type { Status } from '../../meta/errors.ts'
import { parseJson } from '../../codec/json-text.ts'
import type { Io } from '../base/io.ts'
import { commonVocabulary, vocabularies } from '../../vocabulary/index.ts'
import { Socket } from './socket.ts'

/** Node agents of either brand know the common name. */
const PROTOCOL = vocabularies[commonVocabulary].resolve('v4.channel{api}')
/** The same, with a message for the end of a channel, which newer agents know. */
const CLOSING_PROTOCOL = vocabularies[commonVocabulary].resolve('v5.channel{api}')
const [INPUT, OUTPUT, ERRORS, OUTCOME, SIZE, END] = [0, 1, 2, 3, 4, 255]

/** Where a session reads and writes. */
export interface SessionOptions {
  readonly path: string
  /** Input, where the session has one. */
  readonly input: AsyncIterable<Uint8Array> | null
  readonly out: (data: Uint8Array) => void
  readonly err: (data: Uint8Array) => void
  /** The terminal whose size the container follows. */
  readonly terminal: Io['output'] | null
  /** Called at the end of the input where the agent cannot be told of it. */
  readonly onUnendedInput?: () => void
}

/** Runs a session to its end. Rejects with SilentExit for the exit code of a command that failed. */
export async function runSession(api: Api, options: SessionOptions): Promise<void> {
  const socket = await Socket.open(api, options.path, [CLOSING_PROTOCOL, PROTOCOL])
  const onChannel = (channel: number, data: Uint8Array) =>
    socket.send(Buffer.concat([Buffer.from([channel]), data]))
  const resize = () => {
    const { columns = 80, rows = 24 } = options.terminal ?? {}
    void onChannel(SIZE!, Buffer.from(JSON.stringify({ Width: columns, Height: rows })))
  }
  if (options.terminal) {
    resize()
    options.terminal.on('resize', resize)
  }
  if (options.input) {
    void forward(options.input, (data) => onChannel(INPUT!, data)).then(() =>
      socket.protocol === CLOSING_PROTOCOL
        ? onChannel(END!, Buffer.from([INPUT!]))
        : options.onUnendedInput?.(),
    )
  }
  try {
    for await (const message of socket.messages()) {
      const data = message.subarray(1)
      if (message[0] === OUTPUT) options.out(data)
      else if (message[0] === ERRORS) options.err(data)
      else if (message[0] === OUTCOME) checkOutcome(data)
    }
  } finally {
    options.terminal?.off('resize', resize)
    socket.close()
  }
}

async function forward(
  input: AsyncIterable<Uint8Array>,
  send: (data: Uint8Array) => Promise<void>,
): Promise<void> {
  try {
    for await (const data of input) await send(data)
  } catch {
    // The end of the input is the end of what is sent.
  }
}

function checkOutcome(data: Buffer): void {
  if (data.length === 0) return
  let status: Partial<Status>
  try {
    status = parseJson(data) as Partial<Status>
  } catch {
    throw new Fault(`error: ${data.toString('utf8')}`)
  }
  if (status.status === 'Success') return
  const code = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message
  if (code !== undefined && /^\d+$/.test(code)) throw new ExitCode(Number(code))
  if (status.message !== undefined && status.code !== undefined)
    throw statusErrorOf({ ...status, reason: status.reason ?? '' })
  throw new Fault(`error: ${status.message ?? data.toString('utf8')}`)
}

/** A command ended with a code other than 0. */
export class ExitCode extends SilentExit {}

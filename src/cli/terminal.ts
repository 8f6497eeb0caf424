/** Output and signals of a command; the process itself outside tests. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Calls back on the first and every later request to end. */
  onSignal(call: (signal: EndSignal) => void): void
  /** Ends at once. */
  exit(code: number): void
}

/** Requests to end, by the names that Node has for them. */
export type EndSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGBREAK'

/**
 * Closing the terminal sends one too: otherwise it would end the program, also under nohup, because Node.js resets its
 * request to ignore the signal. Windows has no SIGTERM: Ctrl-C and Ctrl-Break request the end there, and so does
 * closing the console, which kills the program ten seconds later.
 */
const END_SIGNALS: readonly EndSignal[] = [
  'SIGINT',
  'SIGHUP',
  process.platform === 'win32' ? 'SIGBREAK' : 'SIGTERM',
]

/** Exit code of a program that a signal ended, as shells have it. */
export const signalCode = (signal: EndSignal): number =>
  128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15, SIGBREAK: 21 }[signal]

/** The terminal of this process. */
export const processTerminal: Terminal = {
  out: (text) => void lasting(process.stdout).write(text),
  err: (text) => void lasting(process.stderr).write(text),
  onSignal: (call) => {
    for (const signal of END_SIGNALS) process.on(signal, () => call(signal))
  },
  exit: (code) => process.exit(code),
}

const ignore = () => {}

/** A server keeps running, and ends in order, when its output has no reader any more. */
function lasting(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore)
  return stream
}

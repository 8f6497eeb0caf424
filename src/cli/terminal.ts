/** Where a command writes and hears of signals; the process itself outside tests. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Calls back on the first and every later request to end. */
  onSignal(call: () => void): void
  /** Ends at once. */
  exit(code: number): void
}

/** Requests to end: of another process, of the keyboard, and of a terminal that is closed (on Windows its window). */
const ENDING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** The terminal of this process. */
export const processTerminal: Terminal = {
  out: (text) => void lasting(process.stdout).write(text),
  err: (text) => void lasting(process.stderr).write(text),
  onSignal: (call) => {
    for (const signal of ENDING) process.on(signal, call)
  },
  exit: (code) => process.exit(code),
}

const ignore = () => {}

/** A server goes on, and ends in order, when nobody reads any more what it says. */
function lasting(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore)
  return stream
}

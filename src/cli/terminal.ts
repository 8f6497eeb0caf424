/** Where a command writes and hears of signals; the process itself outside tests. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Calls back on the first and every later request to end. */
  onSignal(call: () => void): void
  /** Ends at once. */
  exit(code: number): void
}

/** The terminal of this process. */
export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  onSignal: (call) => {
    process.on('SIGTERM', call)
    process.on('SIGINT', call)
  },
  exit: (code) => process.exit(code),
}

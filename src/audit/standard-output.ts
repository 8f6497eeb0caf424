import type { LineSink } from './log-backend.ts'

/** The standard output of the program. */
export const standardOutput: LineSink = {
  writeNow: (text) => void process.stdout.write(text),
  write: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
    }),
  close: () => Promise.resolve(),
}

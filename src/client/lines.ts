import type { Readable } from 'node:stream'

const NEWLINE = 0x0a

/** The lines of a stream as they come; empty ones are left out, and so is one that does not end. */
export async function* linesOf(stream: Readable): AsyncGenerator<Buffer, void, undefined> {
  let rest: Buffer[] = []
  for await (const data of stream) {
    const chunk = data as Buffer
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const last = chunk.subarray(from, end)
      const line = rest.length === 0 ? last : Buffer.concat([...rest, last])
      rest = []
      from = end + 1
      if (line.length > 0) yield line
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
  }
}

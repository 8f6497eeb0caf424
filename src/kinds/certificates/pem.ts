/** One block of PEM. */
export interface PemBlock {
  /** Label of the block, for instance `CERTIFICATE`. */
  readonly type: string
  /** Whether headers of the form `name: value` precede the data. */
  readonly hasHeaders: boolean
  readonly data: Buffer
}

const BEGIN = '-----BEGIN '
const DASHES = '-----'
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** The blocks of a PEM text; text around them and malformed blocks are skipped. */
export function* pemBlocks(text: string): Generator<PemBlock> {
  const lines = text.split('\n').map((line) => line.trimEnd())
  for (let i = 0; i < lines.length; i++) {
    const type = labelOf(lines[i]!, BEGIN)
    if (type === null) continue
    const end = endOf(lines, i + 1, type)
    if (end === null) continue
    let first = i + 1
    while (first < end && lines[first]!.includes(':')) first++
    const body = lines.slice(first, end).join('').replace(/\s/g, '')
    // A block with invalid data is skipped.
    if (body.length % 4 !== 0 || !BASE64.test(body)) continue
    yield { type, hasHeaders: first > i + 1, data: Buffer.from(body, 'base64') }
    i = end
  }
}

/** The line that ends a block; null if another block begins first. */
function endOf(lines: readonly string[], from: number, type: string): number | null {
  for (let i = from; i < lines.length; i++) {
    const line = lines[i]!
    if (line === `-----END ${type}${DASHES}`) return i
    if (line.startsWith(DASHES)) return null
  }
  return null
}

function labelOf(line: string, start: string): string | null {
  const isWhole = line.length >= start.length + DASHES.length
  if (!isWhole || !line.startsWith(start) || !line.endsWith(DASHES)) return null
  return line.slice(start.length, -DASHES.length)
}

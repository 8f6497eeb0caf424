/** How header strings are compressed (RFC 7541, Appendix B): only the lengths of its codes, which make the rest. */
const LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5,
  6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6,
  7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23,
  23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22,
  22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22,
  23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27,
  27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25,
  24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
]
const END_OF_STRING = 256
const MAX_PADDING_BITS = 7

/** Symbols by length of code and code: shorter codes come first, those of one length in order. */
const SYMBOLS: ReadonlyMap<number, number>[] = []
{
  let code = 0
  const bySize: number[][] = []
  LENGTHS.forEach((length, symbol) => (bySize[length] ??= []).push(symbol))
  for (let length = 1; length <= 30; length++) {
    code *= 2
    const symbols = new Map<number, number>()
    for (const symbol of bySize[length] ?? []) symbols.set(code++, symbol)
    SYMBOLS[length] = symbols
  }
}

/** The bytes behind a compressed string. Throws on what is none. */
export function decodeHuffman(data: Buffer): Buffer {
  const bytes: number[] = []
  let code = 0
  let length = 0
  let isPadding = true
  for (const byte of data) {
    for (let bit = 7; bit >= 0; bit--) {
      const one = (byte >> bit) & 1
      code = code * 2 + one
      length++
      isPadding &&= one === 1
      const symbol = SYMBOLS[length]?.get(code)
      if (symbol === undefined) {
        if (length >= 30) throw new Error('a header that is not compressed as it should be')
        continue
      }
      if (symbol === END_OF_STRING) throw new Error('a header with an end inside')
      bytes.push(symbol)
      code = 0
      length = 0
      isPadding = true
    }
  }
  if (length > MAX_PADDING_BITS || !isPadding) throw new Error('a header that is cut off')
  return Buffer.from(bytes)
}

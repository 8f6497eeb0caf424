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
const STATES = 256
const NO_SYMBOL = 0x1ff
const FAULT = 0x1ff

/**
 * What four bits do to a decoder: the state after them, and above its nine bits the symbol that they ended, if they
 * did. No code is shorter than five bits, so there is one symbol at most. State 0 is between symbols.
 */
const STEPS = new Int32Array(STATES * 16)
/** Whether a string may end in a state: what came of a symbol is ones, and less than a byte of them. */
const MAY_END = new Uint8Array(STATES)
{
  const tree = codeTree()
  for (let state = 0; state < STATES; state++) {
    for (let nibble = 0; nibble < 16; nibble++)
      STEPS[state * 16 + nibble] = stepOf(tree, state, nibble)
  }
  let state = 0
  for (let bits = 0; bits <= MAX_PADDING_BITS; bits++) {
    MAY_END[state] = 1
    state = tree[state * 2 + 1]!
  }
}

/** For each state and bit the state after it, or the complement of the symbol that it ends. */
function codeTree(): Int32Array {
  const tree = new Int32Array(STATES * 2)
  let states = 1
  let code = 0
  for (let length = 1; length <= 30; length++) {
    code *= 2
    for (const [symbol, own] of LENGTHS.entries()) {
      if (own !== length) continue
      let state = 0
      for (let bit = length - 1; bit > 0; bit--) {
        const at = state * 2 + ((code >> bit) & 1)
        tree[at] ||= states++
        state = tree[at]!
      }
      tree[state * 2 + (code & 1)] = ~symbol
      code++
    }
  }
  return tree
}

function stepOf(tree: Int32Array, from: number, nibble: number): number {
  let state = from
  let ended = NO_SYMBOL
  for (let bit = 3; bit >= 0; bit--) {
    const next = tree[state * 2 + ((nibble >> bit) & 1)]!
    state = next
    if (next >= 0) continue
    if (~next === END_OF_STRING) return FAULT | (NO_SYMBOL << 9)
    ended = ~next
    state = 0
  }
  return state | (ended << 9)
}

let scratch = Buffer.allocUnsafeSlow(1024)

/** Decodes into `scratch`; returns the number of bytes. Throws on an invalid string. */
function decode(data: Buffer, from: number, to: number): number {
  // No code is shorter than five bits.
  const most = Math.ceil(((to - from) * 8) / 5)
  if (scratch.length < most) scratch = Buffer.allocUnsafeSlow(most)
  const into = scratch
  let at = 0
  let state = 0
  for (let i = from; i < to; i++) {
    const byte = data[i]!
    const high = STEPS[state * 16 + (byte >> 4)]!
    if ((high & FAULT) === FAULT) throw new Error('a header with an end inside')
    if (high >> 9 !== NO_SYMBOL) into[at++] = high >> 9
    const low = STEPS[(high & 0x1ff) * 16 + (byte & 15)]!
    state = low & 0x1ff
    if (state === FAULT) throw new Error('a header with an end inside')
    if (low >> 9 !== NO_SYMBOL) into[at++] = low >> 9
  }
  if (MAY_END[state] !== 1) throw new Error('a header that is cut off')
  return at
}

/** The bytes behind a compressed string. Throws on an invalid one. */
export function decodeHuffman(data: Buffer): Buffer {
  const length = decode(data, 0, data.length)
  return Buffer.from(scratch.subarray(0, length))
}

/** The text behind a part of a block, each byte a character. Throws on an invalid string. */
export function huffmanText(data: Buffer, from: number, to: number): string {
  const length = decode(data, from, to)
  const text = scratch.toString('latin1', 0, length)
  if (scratch.length > BUFFER_BYTES) scratch = Buffer.allocUnsafeSlow(1024)
  return text
}

const BUFFER_BYTES = 16_384

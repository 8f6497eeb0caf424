/**
 * How much of texts a piece of work looks at. Tests of what must be linear count that instead of the time, which says more
 * about the machine.
 */
type Method = (this: unknown, ...args: unknown[]) => unknown

/** Characters that a call of a method has looked at, or copied. */
type Cost = (self: unknown, args: readonly unknown[], result: unknown) => number

const whole: Cost = (self) => String(self).length
const copied: Cost = (_self, _args, result) => (typeof result === 'string' ? result.length : 0)

/** A sticky expression looks at what it matches, any other at everything. */
const searched: Cost = (self, [text], result) =>
  (self as RegExp).sticky
    ? 1 + ((result as string[] | null)?.[0]?.length ?? 0)
    : String(text).length

const METHODS: readonly (readonly [object, string, Cost])[] = [
  [String.prototype, 'slice', copied],
  [String.prototype, 'substring', copied],
  [String.prototype, 'trim', copied],
  [String.prototype, 'toLowerCase', copied],
  [String.prototype, 'indexOf', whole],
  [String.prototype, 'includes', whole],
  [String.prototype, 'split', whole],
  [String.prototype, 'replace', whole],
  [String.prototype, 'replaceAll', whole],
  [RegExp.prototype, 'exec', searched],
]

/** Characters that a synchronous piece of work looks at. Making a number of digits counts as much as it costs. */
export function touched(work: () => void): number {
  let sum = 0
  const undo = METHODS.map(([prototype, name, cost]) => {
    const methods = prototype as Record<string, Method>
    const plain = methods[name]!
    methods[name] = function (...args) {
      const result = plain.apply(this, args)
      sum += cost(this, args, result)
      return result
    }
    return () => (methods[name] = plain)
  })
  const plainBigInt = globalThis.BigInt
  const counting = (value: string) => {
    if (typeof value === 'string') sum += Math.ceil(value.length ** 2 / 32)
    return plainBigInt(value)
  }
  globalThis.BigInt = Object.assign(counting, plainBigInt)
  Object.setPrototypeOf(globalThis.BigInt, plainBigInt)
  try {
    work()
  } finally {
    for (const each of undo) each()
    globalThis.BigInt = plainBigInt
  }
  return sum
}

/** How much more is looked at when the text that a piece is repeated to is twice as long; linear work: 2. */
export function growth(piece: string, length: number, work: (text: string) => void): number {
  const of = (size: number) => {
    const text = piece.repeat(size / piece.length)
    return touched(() => work(text))
  }
  return of(2 * length) / Math.max(1, of(length))
}

/** Values of literals. */
import { asInt, Double, Uint } from './numbers.ts'
import type { Token } from './lexer.ts'
import { readBytes, readText } from './text-literal.ts'

/** A value and its type, or why there is none. */
export type ReadLiteral =
  | { readonly is: string; readonly value: unknown }
  | { readonly problem: string }

const MAX_INT = 2n ** 63n
const MAX_UINT = 2n ** 64n

/** The value of a literal, which may have a minus before it. */
export function literalOf({ kind, text }: Token, isNegative: boolean): ReadLiteral {
  switch (kind) {
    case 'true':
    case 'false':
      return { is: 'bool', value: kind === 'true' }
    case 'null':
      return { is: 'null', value: null }
    case 'NUM_INT': {
      const value = isNegative ? -BigInt(text) : BigInt(text)
      if (value >= MAX_INT || value < -MAX_INT) return { problem: 'invalid int literal' }
      return { is: 'int', value: asInt(value) }
    }
    case 'NUM_UINT': {
      const value = BigInt(text.slice(0, -1))
      if (isNegative || value >= MAX_UINT) return { problem: 'invalid uint literal' }
      return { is: 'uint', value: new Uint(asInt(value)) }
    }
    case 'NUM_FLOAT': {
      const value = isNegative ? -Number(text) : Number(text)
      if (!Number.isFinite(value)) return { problem: 'invalid double literal' }
      return { is: 'double', value: new Double(value) }
    }
    default:
      return textLiteral(kind, text)
  }
}

function textLiteral(kind: string, text: string): ReadLiteral {
  try {
    if (kind === 'BYTES') return { is: 'bytes', value: readBytes(text) }
    return { is: 'string', value: readText(text) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

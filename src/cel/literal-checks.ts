/** Literals that have to be patterns, spans or times, and lists and maps that have to have values of one type. */
import { MAX_PATTERN_WEIGHT } from '../base/pattern-weight.ts'
import type { CallNode, Node } from './ast.ts'
import { childrenOf } from './checker.ts'
import { type PatternRoom, requirePattern } from './pattern.ts'
import type { SourceErrors } from './source-errors.ts'
import { formatType, sameType, type Type } from './type.ts'

/** Functions whose arguments may have lists and maps of several types. */
const EXEMPT: ReadonlySet<string> = new Set(['format'])

/** Reports literals that are not what functions expect, and lists and maps of several types. */
export const checkLiterals = (node: Node, errors: SourceErrors): void =>
  checkBelow(node, { errors, patterns: { left: MAX_PATTERN_WEIGHT } }, false)

interface Checking {
  readonly errors: SourceErrors
  readonly patterns: PatternRoom
}

function checkBelow(node: Node, checking: Checking, isExempt: boolean): void {
  if (node.op === 'call') checkCall(node, checking)
  else if (!isExempt) checkTypes(node, checking.errors)
  const exempts = isExempt || (node.op === 'call' && EXEMPT.has(node.name))
  for (const child of childrenOf(node)) checkBelow(child, checking, exempts)
}

function checkTypes(node: Node, errors: SourceErrors): void {
  if (node.op === 'list') {
    const isOptional = new Set(node.optional)
    requireOneType(
      node.items.map((item, i) => [item, isOptional.has(i)]),
      errors,
    )
  } else if (node.op === 'map') {
    requireOneType(
      node.entries.map(({ key }) => [key, false]),
      errors,
    )
    requireOneType(
      node.entries.map(({ value, isOptional }) => [value, isOptional]),
      errors,
    )
  }
}

/** Reports the first value of another type than the first one has; that of an optional one is what it has. */
function requireOneType(
  values: readonly (readonly [node: Node, isOptional: boolean])[],
  errors: SourceErrors,
): void {
  let wanted: Type | undefined
  for (const [{ type, at }, isOptional] of values) {
    const found = (isOptional ? type!.of[0] : type) ?? type!
    wanted ??= found
    if (sameType(wanted, found)) continue
    errors.report(at, `expected type '${formatType(wanted)}' but found '${formatType(found)}'`)
    return
  }
}

function checkCall(
  { name, receiver, args, overloads }: CallNode,
  { errors, patterns }: Checking,
): void {
  const literal = args.at(-1)
  if (literal?.op !== 'literal' || typeof literal.value !== 'string') return
  const { value } = literal
  const read =
    name === 'matches' && args.length === (receiver ? 1 : 2)
      ? () => requirePattern(value, patterns)
      : name === 'duration' || name === 'timestamp'
        ? () => overloads?.[0]?.run(value as never)
        : null
  try {
    read?.()
  } catch {
    errors.report(literal.at, `invalid ${name} argument`)
  }
}

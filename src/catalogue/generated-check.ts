/** Declared checks as code, which says whether an object passes; `check.ts` interprets them, and finds what is wrong. */
import { GeneratedCode, literal } from '../codec/generated-code.ts'
import type { FieldFacts, Holds, Shape } from '../notation/shape.ts'

/** Whether an object passes; false also where only the interpreter can tell. */
export type Pass = (object: object, before: object | null) => boolean

/** What code is made with. */
export interface PassParts {
  /** Whether a shape has closed sets of values in it. */
  readonly isChecked: (shape: Shape) => boolean
  /** Whether a value of another form than an object or a list of them passes; null: there is nothing to check. */
  readonly passOf: (holds: Holds) => ((value: unknown, before: unknown) => boolean) | null
}

/** The code of a shape; found by others before it is made, since a shape may be recursive. */
interface Known {
  pass: Pass
}

const known = new WeakMap<Shape, Known>()

/**
 * Returns the code of a shape. A field of it looks like this:
 *
 *     x = object["protocol"]; y = before === null ? undefined : before["protocol"]
 *     if (x !== undefined && x !== null && x !== y) {
 *       if (typeof x === 'string' && x !== '' && x !== "TCP" && x !== "UDP") return false
 *     }
 */
export const generatedPass = (shape: Shape, parts: PassParts): Pass => knownOf(shape, parts).pass

function knownOf(shape: Shape, parts: PassParts): Known {
  const found = known.get(shape)
  if (found) return found
  const made: Known = { pass: () => false }
  known.set(shape, made)
  const code = new GeneratedCode()
  code.line('let x, y')
  addFields(code, shape, parts)
  code.line('return true')
  made.pass = code.finish(['object', 'before'])
  return made
}

function addFields(code: GeneratedCode, shape: Shape, parts: PassParts): void {
  for (const [name, facts] of shape.fields) {
    if (facts.unchecked) continue
    const { holds } = facts
    if (facts.inline) {
      if (holds.is === 'object') addFields(code, holds.to(), parts)
      continue
    }
    const tests = [...setTest(facts), ...insideTest(code, holds, parts)]
    if (tests.length === 0) continue
    code.line(`x = object[${literal(name)}]; y = before === null ? undefined : before[${literal(name)}]
if (x !== undefined && x !== null && x !== y) {
  ${tests.join('\n  ')}
}`)
  }
}

/** The test of a closed set of values; none where there is no set. */
function setTest({ oneOf, presence, emptyIsOwn }: FieldFacts): string[] {
  if (!oneOf) return []
  const seesEmpty = presence === 'explicit' && emptyIsOwn !== true
  const allowed = seesEmpty ? oneOf : ['', ...oneOf]
  const isOther = allowed.map((value) => `x !== ${literal(value)}`).join(' && ')
  return [`if (typeof x === 'string' && ${isOther || 'true'}) return false`]
}

/** The test of what a value holds; none where there is nothing to check. */
function insideTest(code: GeneratedCode, holds: Holds, parts: PassParts): string[] {
  const of = holds.is === 'list' ? holds.of : holds
  if (of.is !== 'object') {
    const pass = parts.passOf(holds)
    return pass ? [`if (!${code.refer(pass)}(x, y)) return false`] : []
  }
  if (!parts.isChecked(of.to())) return []
  const inside = code.refer(knownOf(of.to(), parts))
  const test = code.refer(holds.is === 'list' ? eachPasses : passes)
  return [`if (!${test}(${inside}, x, y)) return false`]
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const passes = ({ pass }: Known, value: unknown, before: unknown): boolean =>
  isObject(value) && pass(value, isObject(before) ? before : null)

function eachPasses(inside: Known, list: unknown, before: unknown): boolean {
  if (!Array.isArray(list)) return false
  const others: readonly unknown[] = Array.isArray(before) ? before : []
  for (let i = 0; i < list.length; i++) {
    const one: unknown = list[i]
    const other = i < others.length ? others[i] : undefined
    if (one !== other && !passes(inside, one, other)) return false
  }
  return true
}

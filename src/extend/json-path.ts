/**
 * The part of JSONPath that columns of tables are written in: names, places and slices of lists, all members, what is
 * anywhere inside, and items that pass a test.
 */

type Step =
  | { readonly is: 'names'; readonly names: readonly string[] }
  | { readonly is: 'places'; readonly places: readonly number[] }
  | { readonly is: 'slice'; readonly from?: number; readonly to?: number; readonly by: number }
  | { readonly is: 'all' }
  | { readonly is: 'inside' }
  | { readonly is: 'where'; readonly path: JsonPath; readonly test: Test | null }

/** Compares with a literal; null: whether there is anything. */
interface Test {
  readonly operator: Operator
  readonly literal: string | number | bigint | boolean
}

type Operator = '==' | '!=' | '<' | '<=' | '>' | '>='

/** A path that was read. */
export type JsonPath = readonly Step[]

/** Values that are looked at for one path: steps into everything could multiply them. */
const MOST_VALUES = 10_000

const NAME = /\.((?:\\.|[^.[\]\\*])(?:\\.|[^.[\]\\])*)/y
const INSIDE = /\.(?=\.(?!\.))/y
const PLACES = /\[(-?\d+(?:\s*,\s*-?\d+)*)\]/y
const SLICE = /\[(-?\d+)?:(-?\d+)?(?::(\d+))?\]/y
const ALL = /\[\*\]|\.\*/y
const TEXT = String.raw`(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")`
const QUOTED = new RegExp(String.raw`\[(${TEXT}(?:\s*,\s*${TEXT})*)\]`, 'y')
const ONE_TEXT = new RegExp(TEXT, 'g')
const WHERE = new RegExp(
  String.raw`\[\?\(\s*@((?:\\.|[^=<>!()\s\\])+)\s*(?:(==|!=|<=|>=|<|>)\s*(${TEXT}|true|false|-?\d+(?:\.\d+)?)\s*)?\)\]`,
  'y',
)

/** Reads a path such as `.spec.ports[0].name`; null when it is none. */
export function parseJsonPath(text: string): JsonPath | null {
  const steps: Step[] = []
  let at = 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  while (at < text.length) {
    let found: RegExpExecArray | null
    if (match(INSIDE)) steps.push({ is: 'inside' })
    else if (match(ALL)) steps.push({ is: 'all' })
    else if ((found = match(PLACES)))
      steps.push({ is: 'places', places: found[1]!.split(',').map(Number) })
    else if ((found = match(SLICE))) steps.push(sliced(found))
    else if ((found = match(QUOTED)))
      steps.push({ is: 'names', names: (found[1]!.match(ONE_TEXT) ?? []).map(unquoted) })
    else if ((found = match(WHERE))) {
      const path = parseJsonPath(found[1]!)
      if (!path) return null
      steps.push({ is: 'where', path, test: testOf(found[2], found[3]) })
    } else if ((found = match(NAME))) steps.push({ is: 'names', names: [unescaped(found[1]!)] })
    else return null
  }
  return steps
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, '$1')
const unquoted = (text: string): string => unescaped(text.slice(1, -1))

function sliced([, from, to, by]: RegExpExecArray): Step {
  return {
    is: 'slice',
    ...(from === undefined ? {} : { from: Number(from) }),
    ...(to === undefined ? {} : { to: Number(to) }),
    by: Math.max(1, Number(by ?? 1)),
  }
}

function testOf(operator: string | undefined, text: string | undefined): Test | null {
  if (operator === undefined || text === undefined) return null
  return { operator: operator as Operator, literal: literalOf(text) }
}

function literalOf(text: string): string | number | bigint | boolean {
  if (/^['"]/.test(text)) return unquoted(text)
  if (text === 'true' || text === 'false') return text === 'true'
  const number = Number(text)
  return Number.isInteger(number) && !Number.isSafeInteger(number) && !text.includes('.')
    ? BigInt(text)
    : number
}

/** Everything that a path leads to. */
export function valuesAt(path: JsonPath, value: unknown): readonly unknown[] {
  let found: readonly unknown[] = [value]
  for (const step of path) {
    const next: unknown[] = []
    for (const one of found) {
      for (const inner of reached(step, one)) {
        if (next.length === MOST_VALUES) break
        next.push(inner)
      }
    }
    found = next
  }
  return found
}

function reached(step: Step, value: unknown): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return []
  switch (step.is) {
    case 'names': {
      if (Array.isArray(value)) return []
      const map = value as Record<string, unknown>
      return step.names.flatMap((name) => (Object.hasOwn(map, name) ? [map[name]] : []))
    }
    case 'places':
      return step.places.flatMap((place) => {
        const item: unknown = Array.isArray(value) ? value.at(place) : undefined
        return item === undefined ? [] : [item]
      })
    case 'slice':
      return Array.isArray(value)
        ? value.slice(step.from, step.to).filter((_, i) => i % step.by === 0)
        : []
    case 'all':
      return Object.values(value)
    case 'inside':
      return everything(value)
    case 'where':
      return Array.isArray(value) ? value.filter((item) => passes(step, item)) : []
  }
}

/** A value and all that is in it, outside in. */
function* everything(value: unknown): Generator {
  const open = [value]
  for (let one = open.shift(); one !== undefined; one = open.shift()) {
    if (typeof one !== 'object' || one === null) continue
    yield one
    for (const inner of Object.values(one)) if (open.length < MOST_VALUES) open.push(inner)
  }
}

function passes({ path, test }: Step & { readonly is: 'where' }, item: unknown): boolean {
  const values = valuesAt(path, item)
  if (!test) return values.length > 0
  if (values.length === 0) return false
  const { operator, literal } = test
  const [found] = values
  if (isNumber(found) && isNumber(literal)) return holds(operator, order(found, literal))
  if (operator === '==') return found === literal
  if (operator === '!=') return found !== literal
  if (typeof found !== 'string' || typeof literal !== 'string') return false
  return holds(operator, order(found, literal))
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

/** Less than 0, 0 or more than 0; numbers of both types are compared exactly. */
const order = <T extends number | bigint | string>(a: T, b: T): number =>
  a < b ? -1 : Number(a > b)

function holds(operator: Operator, difference: number): boolean {
  switch (operator) {
    case '==':
      return difference === 0
    case '!=':
      return difference !== 0
    case '<':
      return difference < 0
    case '<=':
      return difference <= 0
    case '>':
      return difference > 0
    case '>=':
      return difference >= 0
  }
}

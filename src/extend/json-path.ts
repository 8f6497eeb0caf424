/** The part of JSONPath that columns of tables are written in: names, places in lists, all of them, and those that equal. */

type Step =
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'place'; readonly place: number }
  | { readonly is: 'all' }
  | { readonly is: 'where'; readonly path: JsonPath; readonly equals: unknown }

/** A path that was read. */
export type JsonPath = readonly Step[]

const NAME = /\.((?:\\.|[^.[\]\\])+)/y
const PLACE = /\[(-?\d+)\]/y
const ALL = /\[\*\]|\.\*/y
const QUOTED = /\[(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\]/y
const WHERE =
  /\[\?\(@((?:\\.|[^=()\\])+?)\s*==\s*(?:'([^']*)'|"([^"]*)"|(true|false|-?\d+(?:\.\d+)?))\s*\)\]/y

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
    if (match(ALL)) steps.push({ is: 'all' })
    else if ((found = match(PLACE))) steps.push({ is: 'place', place: Number(found[1]) })
    else if ((found = match(QUOTED))) steps.push(named(found[1] ?? found[2]!))
    else if ((found = match(WHERE))) {
      const path = parseJsonPath(found[1]!)
      if (!path) return null
      const equals = found[2] ?? found[3] ?? (JSON.parse(found[4]!) as unknown)
      steps.push({ is: 'where', path, equals })
    } else if ((found = match(NAME))) steps.push(named(found[1]!))
    else return null
  }
  return steps
}

const named = (text: string): Step => ({ is: 'name', name: text.replaceAll(/\\(.)/g, '$1') })

/** Everything that a path leads to. */
export function valuesAt(path: JsonPath, value: unknown): readonly unknown[] {
  let found: readonly unknown[] = [value]
  for (const step of path) found = found.flatMap((one) => inside(step, one))
  return found
}

function inside(step: Step, value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  switch (step.is) {
    case 'name':
      return !Array.isArray(value) && Object.hasOwn(value, step.name)
        ? [(value as Record<string, unknown>)[step.name]]
        : []
    case 'place': {
      const item: unknown = Array.isArray(value) ? value.at(step.place) : undefined
      return item === undefined ? [] : [item]
    }
    case 'all':
      return Object.values(value)
    case 'where':
      return Array.isArray(value)
        ? value.filter((item) => valuesAt(step.path, item)[0] === step.equals)
        : []
  }
}

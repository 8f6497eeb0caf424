import { shortJson } from '../base/short-text.ts'
import { sameValue } from './field-errors.ts'

/** Maximum UTF-16 units of one value, and maximum number of members shown. */
const MAX_VALUE = 256
const MAX_MEMBERS = 32

/**
 * The members in which two objects differ, with old and new value, in the format that the reference adds to a refusal;
 * equal members are only counted.
 */
export function describeChange(type: string, old: object, next: object): string {
  const before = old as Readonly<Record<string, unknown>>
  const after = next as Readonly<Record<string, unknown>>
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => !sameValue(before[name], after[name]))
  const same = names.length - changed.length
  const lines = changed
    .slice(0, MAX_MEMBERS)
    .flatMap((name) => [line('-', name, before[name]), line('+', name, after[name])])
  const rest =
    changed.length > MAX_MEMBERS ? [elided(changed.length - MAX_MEMBERS, 'different')] : []
  const others = same === 0 ? [] : [elided(same, 'identical')]
  return [`  ${type}{`, ...lines, ...rest, ...others, '  }', ''].join('\n')
}

const line = (sign: '-' | '+', name: string, value: unknown) =>
  `${sign} \t${name.charAt(0).toUpperCase()}${name.slice(1)}: ${value === undefined ? 'nil' : shortJson(value, MAX_VALUE)},`

const elided = (count: number, what: string) =>
  `  \t... // ${count} ${what} ${count === 1 ? 'field' : 'fields'}`

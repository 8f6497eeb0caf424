/** Words and forms that descriptions share. */
import type { Value } from './value.ts'

export const NONE = '<none>'
export const UNSET = '<unset>'

/** Cut after so many characters. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}...` : text

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const two = (number: number) => String(number).padStart(2, '0')

/** `Tue, 02 Jan 2024 03:04:05 +0000`. */
export function timeText(text: string): string {
  const at = new Date(text)
  if (text === '' || Number.isNaN(at.getTime())) return text
  const day = `${two(at.getUTCDate())} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`
  return `${DAYS[at.getUTCDay()]}, ${day} ${clockText(at)} +0000`
}

/** `2024-01-02 03:04:05 +0000 UTC`. */
export function plainTimeText(text: string): string {
  const at = new Date(text)
  const day = `${at.getUTCFullYear()}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`
  return `${day} ${clockText(at)} +0000 UTC`
}

const clockText = (at: Date) =>
  [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':')

/** `True` and `False`, as conditions have them. */
export const truth = (is: boolean): string => (is ? 'True' : 'False')

/** Labels in one line. */
export function labelsLine(labels: Value): string {
  const pairs = labels.members().map(([key, value]) => `${key}=${value.text()}`)
  return pairs.join(',') || NONE
}

/** A label selector in the form of selectors in queries. */
export function selectorText(selector: Value): string {
  const parts = selector
    .members('matchLabels')
    .map(([key, value]): [string, string] => [key, `${key}=${value.text()}`])
  for (const one of selector.items('matchExpressions')) {
    const key = one.textAt('key')
    const values = one.texts('values').sort().join(',')
    const operator = one.textAt('operator')
    if (operator === 'Exists') parts.push([key, key])
    else if (operator === 'DoesNotExist') parts.push([key, `!${key}`])
    else parts.push([key, `${key} ${operator === 'In' ? 'in' : 'notin'} (${values})`])
  }
  return parts
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(',')
}

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

/** Access modes in short. */
export const accessModes = (modes: readonly string[]): string =>
  Object.keys(MODES)
    .filter((mode) => modes.includes(mode))
    .map((mode) => MODES[mode])
    .join(',')

/** `[a b]`. */
export const bracketed = (texts: readonly string[]): string => `[${texts.join(' ')}]`

/** `Kind/name` of the controller; empty without one. */
export function controllerText(object: Value): string {
  const owner = object.items('metadata.ownerReferences').find((one) => one.at('controller').isTrue)
  return owner ? `${owner.textAt('kind')}/${owner.textAt('name')}` : ''
}

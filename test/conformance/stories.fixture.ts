/** Stories of managers in short: who writes which data how. */
import type { Json, Step } from './apply.fixture.ts'

/** `a: x=1` applies, `a!:` applies with force, `b~:` patches, where `x=` takes away. */
export function parseStep(line: string): Step {
  const [, by, mark, rest] = /^(\w+)([!~]?): ?(.*)$/.exec(line)!
  const pairs = rest!.split(' ').filter((pair) => pair !== '')
  const data: Json = {}
  for (const pair of pairs) {
    const [key, value] = pair.split('=') as [string, string]
    data[key] = value === '' ? null : value
  }
  const content = pairs.length === 0 ? {} : { data }
  return { by: by!, as: mark === '!' ? 'force' : mark === '~' ? 'merge' : 'apply', with: content }
}

/** The data of an object, as the stories write them. */
export const shownData = (data: Json) =>
  Object.entries(data ?? {})
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(' ')

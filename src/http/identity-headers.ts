/** The headers by which a proxy tells another server whose request it passes on. */
import type { User } from '../registry/context.ts'

export const USER_HEADER = 'X-Remote-User'
export const GROUP_HEADER = 'X-Remote-Group'
export const EXTRA_HEADER_PREFIX = 'X-Remote-Extra-'

/** The identity of a user as headers. */
export function identityHeaders({
  name,
  groups,
  extra,
}: Pick<User, 'name' | 'groups' | 'extra'>): [string, string | string[]][] {
  return [
    [USER_HEADER, asHeader(name)],
    ...(groups.length > 0 ? [[GROUP_HEADER, groups.map(asHeader)] as [string, string[]]] : []),
    ...Object.entries(extra).map(([key, values]): [string, string[]] => [
      EXTRA_HEADER_PREFIX + escapedKey(key),
      values.map(asHeader),
    ]),
  ]
}

/** Header values are bytes: those of UTF-8. */
const asHeader = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** Percent-encodes what a header name cannot hold, and the percent sign. */
const escapedKey = (key: string): string =>
  Buffer.from(key, 'utf8')
    .toString('latin1')
    .replaceAll(
      /[^\w!#$&'*+.^`|~-]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )

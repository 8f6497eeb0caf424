import { badRequest, plainError } from '../../meta/errors.ts'
import type { Context, Filter } from '../context.ts'

/**
 * Refuses requests whose headers leave open what was meant, before anything is decided by them: 400.
 *
 * | Header sent more than once               | What counts                                     |
 * | ---------------------------------------- | ----------------------------------------------- |
 * | Host, Content-Length                     | refused                                         |
 * | Transfer-Encoding                        | refused unless it is `chunked` alone            |
 * | Authorization, Impersonate-User and -Uid | the first, as for the reference                 |
 * | user headers of an authenticating proxy  | the first with a value, as for the reference    |
 * | Content-Type, Accept                     | the first, as for the reference                 |
 * | Impersonate-Group, -Extra-*, X-Remote-*  | all, each as sent                               |
 */
export const headers: Filter = {
  name: 'headers',
  run(context) {
    const { rawHeaders, memory } = context.exchange
    if (memory && memory.mayImpersonate !== null) {
      context.mayImpersonate = memory.mayImpersonate
      return
    }
    if (rawHeaders.length > 2 * MAX_HEADERS) throw plainError('too many header fields', 431)
    let hosts = 0
    let lengths = 0
    let accepts = 0
    let impersonates = false
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const name = rawHeaders[i]!
      const value = rawHeaders[i + 1]!
      if (isPadded(value)) throw wrongValue(name)
      // Lengths distinguish nearly all names, without a lower-case copy.
      switch (name.length) {
        case 4:
          if (!isNamed(name, 'host')) continue
          if (!HOST.test(value)) throw badRequest('malformed Host header')
          hosts++
          continue
        case 6:
          if (isNamed(name, 'accept') && ++accepts === 2) keepFirst(context, 'accept')
          continue
        case 10:
          if (name === ':authority' && !HOST.test(value)) throw badRequest('malformed Host header')
          continue
        case 14:
          if (!isNamed(name, 'content-length')) continue
          if (!DIGITS.test(value)) throw wrongValue(name)
          lengths++
          continue
        default:
          if (!isImpersonation(name)) continue
          if (CONTROL.test(value)) throw wrongValue(name)
          impersonates = true
      }
    }
    if (hosts > 1) throw badRequest('too many Host headers')
    if (lengths > 1) throw badRequest('too many Content-Length headers')
    context.mayImpersonate = impersonates
    if (memory) memory.mayImpersonate = impersonates
  },
}

/** Maximum number of headers of one request. Short ones take much more memory than their bytes. */
const MAX_HEADERS = 8_192

const FAMILY = 'impersonate-'
const HOST = /^[\w!$%&'()*+,\-.:;=[\]~]*$/
const SPACE = 0x20
const DIGITS = /^\d+$/
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/

/**
 * Whether whitespace surrounds a value. It is not part of it (RFC 9110, section 5.5): the protocol parser strips it or
 * rejects it, as it rejects control characters, which are checked here only where a value names a user.
 */
const isPadded = (value: string) =>
  value !== '' && (value.charCodeAt(0) <= SPACE || value.charCodeAt(value.length - 1) <= SPACE)

const isNamed = (name: string, lower: string) => name === lower || name.toLowerCase() === lower

const isImpersonation = (name: string) =>
  // Setting this bit maps letters to lower case; other characters that it maps are ruled out next.
  (name.charCodeAt(0) | 0x20) === 0x69 && name.slice(0, FAMILY.length).toLowerCase() === FAMILY

const wrongValue = (name: string) =>
  badRequest(`the value of the header ${JSON.stringify(name)} is not valid`)

/** Keeps the first of several values: joined they would read as one list. */
function keepFirst({ exchange }: Context, name: string): void {
  const { rawHeaders } = exchange
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (!isNamed(rawHeaders[i]!, name)) continue
    exchange.headers[name] = rawHeaders[i + 1]!
    return
  }
}

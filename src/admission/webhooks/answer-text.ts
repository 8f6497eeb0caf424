/** Descriptions of responses of webhooks that are no success, in the words that their authors know. */
import { isRecord } from '../../base/value-checks.ts'
import { parseJson } from '../../codec/json-text.ts'

const MAX_SHOWN = 1024

const TEXTS: ReadonlyMap<number, string> = new Map([
  [400, 'the server rejected our request for an unknown reason'],
  [401, 'the server has asked for the client to provide credentials'],
  [404, 'the server could not find the requested resource'],
  [405, 'the server does not allow this method on the requested resource'],
  [409, 'the server reported a conflict'],
  [422, 'the server rejected our request due to an error in our request'],
  [429, 'the server has received too many requests and has asked us to try again later'],
  [503, 'the server is currently unable to handle the request'],
  [
    504,
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
])

/** Describes a response by its code and body. */
export function describeAnswer(code: number, body: Buffer): string {
  const message = statusMessage(body)
  if (message !== '') return message
  const text = TEXTS.get(code)
  if (text !== undefined) return text
  const said = body.toString('utf8', 0, MAX_SHOWN).trim()
  const shown = said === '' ? 'unknown' : said
  if (code === 403 || code === 406 || code === 415) return shown
  if (code >= 500)
    return `an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding`
  return `the server responded with the status code ${code} but did not return more information`
}

/** Message of a Status in the body; empty without one. */
function statusMessage(body: Buffer): string {
  try {
    const status = parseJson(body)
    if (!isRecord(status) || status['kind'] !== 'Status') return ''
    const { message } = status
    return typeof message === 'string' ? message.slice(0, MAX_SHOWN) : ''
  } catch {
    return ''
  }
}

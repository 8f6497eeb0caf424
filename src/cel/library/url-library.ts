/** Functions of addresses. */
import { traversal } from '../cost-rule.ts'
import type { Library } from '../environment.ts'
import { failure } from '../failure.ts'
import { global, member } from '../function-declaration.ts'
import { BOOL, listOf, mapOf, opaque, STRING } from '../type.ts'
import { readUrl, type UrlValue } from '../url-value.ts'
import { EntryMap } from '../values.ts'

const URL = opaque('net.URL')

function urlOf(text: string): UrlValue {
  const url = readUrl(text)
  if (!url) throw failure(`URL parse error during conversion from string: ${text}`)
  return url
}

/** Addresses and their parts. */
export const urlLibrary = (): Library => ({
  types: [[URL.name, URL]],
  functions: [
    global('url', ['string_to_url', [STRING], URL, urlOf, traversal(0)]),
    global('isURL', ['is_url_string', [STRING], BOOL, (text: string) => readUrl(text) !== null]),
    member('getScheme', ['url_get_scheme', [URL], STRING, (url: UrlValue) => url.scheme]),
    member('getHost', ['url_get_host', [URL], STRING, (url: UrlValue) => url.host]),
    member('getHostname', ['url_get_hostname', [URL], STRING, (url: UrlValue) => url.hostname]),
    member('getPort', ['url_get_port', [URL], STRING, (url: UrlValue) => url.port]),
    member('getEscapedPath', [
      'url_get_escaped_path',
      [URL],
      STRING,
      (url: UrlValue) => url.escapedPath,
    ]),
    member('getQuery', [
      'url_get_query',
      [URL],
      mapOf(STRING, listOf(STRING)),
      (url: UrlValue) => EntryMap.ofTexts(url.parameters),
    ]),
  ],
})

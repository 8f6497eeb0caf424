/** The formats that expressions may ask about. */
import { parseTime } from '../base/time.ts'
import type { FormatCheck, FormatChecks } from '../cel/library/format-library.ts'
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from '../meta/names.ts'

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The format of what begins a name: one that ends with a hyphen goes on. */
const prefix =
  (check: FormatCheck): FormatCheck =>
  (text) =>
    check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -1)}a` : text)

const matching =
  (holds: (text: string) => boolean, message: string): FormatCheck =>
  (text) =>
    holds(text) ? [] : [message]

function isTime(text: string): boolean {
  try {
    return Number.isFinite(parseTime(text))
  } catch {
    return false
  }
}

const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && isTime(`${text}T00:00:00Z`)

const isUri = (text: string): boolean =>
  /^(?:\/|[A-Za-z][A-Za-z0-9+.-]*:)/.test(text) && !/\s/.test(text)

/** Checks by the names of formats. */
export const NAME_FORMATS: FormatChecks = new Map<string, FormatCheck>([
  ['dns1123Label', isDns1123Label],
  ['dns1123Subdomain', isDns1123Subdomain],
  ['dns1035Label', isDns1035Label],
  ['qualifiedName', isQualifiedName],
  ['dns1123LabelPrefix', prefix(isDns1123Label)],
  ['dns1123SubdomainPrefix', prefix(isDns1123Subdomain)],
  ['dns1035LabelPrefix', prefix(isDns1035Label)],
  ['labelValue', isLabelValue],
  ['uri', matching(isUri, 'invalid URI')],
  ['uuid', matching((text) => UUID.test(text), 'does not match the UUID format')],
  ['byte', matching((text) => BASE64.test(text), 'invalid base64')],
  ['date', matching(isDate, 'invalid date')],
  ['datetime', matching(isTime, 'invalid datetime')],
])

/** A header field as it came, looked at once however often a block names it. */
export class Field {
  readonly name: string
  /** Each byte is a character. */
  readonly value: string
  /** Its size in a table and in a list (RFC 7541, section 4.1). */
  readonly size: number
  /** Why it is no valid field (RFC 9113, section 8.2.1); null: it is. */
  readonly fault: string | null

  constructor(name: string, value: string) {
    this.name = name
    this.value = value
    this.size = name.length + value.length + 32
    this.fault = faultOf(name, value)
  }
}

const NAME = 1
const VALUE = 2
/** Classes of each byte: name, value. */
const MAY = new Uint8Array(256)
for (let byte = 0; byte < 256; byte++) {
  const character = String.fromCharCode(byte)
  if (/[a-z0-9!#$%&'*+.^_`|~-]/.test(character)) MAY[byte]! |= NAME
  if (byte === 9 || (byte >= 32 && byte !== 127)) MAY[byte]! |= VALUE
}

/** A text that no message shows whole. */
const shown = (name: string) => JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name)

function faultOf(name: string, value: string): string | null {
  for (let i = name.charCodeAt(0) === 58 ? 1 : 0; i < name.length; i++) {
    if ((MAY[name.charCodeAt(i)]! & NAME) === 0) return `invalid header field name ${shown(name)}`
  }
  if (name === '' || name === ':') return `invalid header field name ${shown(name)}`
  if (value === '') return null
  let allowed = VALUE
  for (let i = 0; i < value.length; i++) allowed &= MAY[value.charCodeAt(i)]!
  const isBlank = (code: number) => code === 32 || code === 9
  return allowed === 0 ||
    isBlank(value.charCodeAt(0)) ||
    isBlank(value.charCodeAt(value.length - 1))
    ? `invalid value of header field ${shown(name)}`
    : null
}

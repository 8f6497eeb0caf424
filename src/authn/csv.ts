/**
 * The records of a CSV text (RFC 4180): fields may be quoted and then hold commas, line breaks and doubled quotes.
 * Records may differ in length, empty lines are none. Throws an Error that names the line, not its contents.
 */
export function parseCsv(text: string): string[][] {
  const records: string[][] = []
  let record: string[] = []
  let at = 0
  let line = 1
  const input = text.replaceAll('\r\n', '\n')
  while (at < input.length) {
    if (record.length === 0 && input[at] === '\n') {
      at++
      line++
      continue
    }
    const field = input[at] === '"' ? quoted(input, at, line) : bare(input, at, line)
    record.push(field.value)
    at = field.end
    line += field.value.split('\n').length - 1
    if (input[at] === ',') {
      at++
      // A comma at the end begins one more, empty, field.
      if (at < input.length && input[at] !== '\n') continue
      record.push('')
    }
    records.push(record)
    record = []
    at++
    line++
  }
  return records
}

interface Field {
  readonly value: string
  /** Where the comma or line feed behind it is, or the end. */
  readonly end: number
}

function bare(input: string, start: number, line: number): Field {
  let end = start
  while (end < input.length && input[end] !== ',' && input[end] !== '\n') {
    if (input[end] === '"') throw new Error(`line ${line}: bare " in a field without quotes`)
    end++
  }
  return { value: input.slice(start, end), end }
}

function quoted(input: string, start: number, line: number): Field {
  let value = ''
  let at = start + 1
  for (;;) {
    const quote = input.indexOf('"', at)
    if (quote === -1) throw new Error(`line ${line}: a quoted field without its closing "`)
    value += input.slice(at, quote)
    at = quote + 1
    const next = input[at]
    if (next !== '"') {
      if (next === undefined || next === ',' || next === '\n') return { value, end: at }
      throw new Error(`line ${line}: text behind the closing " of a field`)
    }
    value += '"'
    at++
  }
}

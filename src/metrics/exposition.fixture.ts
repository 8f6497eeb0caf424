/** A parser of both exposition forms that accepts no document that breaks their rules. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface ParsedFamily {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly samples: readonly Sample[]
}

const HEAD = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/
const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([-+]?(?:\d+(?:\.\d+)?(?:e[-+]\d{2,3})?|Inf)|NaN)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y

/** Families by name. Throws what is wrong, with its line. */
export function parseExposition(
  text: string,
  form: 'text' | 'openmetrics' = 'text',
): Map<string, ParsedFamily> {
  if (!text.endsWith('\n')) throw new Error('no line feed at the end')
  const lines = text.slice(0, -1).split('\n')
  if (form === 'openmetrics' && lines.pop() !== '# EOF') throw new Error('no # EOF at the end')
  const families = new Map<string, ParsedFamily & { readonly samples: Sample[] }>()
  let help: readonly [string, string] | null = null
  let current: (ParsedFamily & { readonly samples: Sample[] }) | null = null
  lines.forEach((line, i) => {
    const wrong = (why: string) => new Error(`line ${i + 1}: ${why}: ${line}`)
    const head = HEAD.exec(line)
    if (head) {
      const [, word, name = '', rest = ''] = head
      if (word === 'HELP') {
        if (help || families.has(name)) throw wrong('a family twice')
        help = [name, rest]
        return
      }
      if (help?.[0] !== name) throw wrong('a type without its help')
      if (!/^(counter|gauge|histogram|summary|unknown)$/.test(rest)) throw wrong('unknown type')
      current = { name, help: help[1], type: rest, samples: [] }
      families.set(name, current)
      help = null
      return
    }
    if (help) throw wrong('a help without its type')
    const sample = SAMPLE.exec(line)
    if (!sample) throw wrong('not a sample')
    if (!current || !namesOf(current, form).includes(sample[1]!)) throw wrong('not of its family')
    const labels = labelsOf(sample[2] ?? '')
    if (!labels) throw wrong('malformed labels')
    const value = Number(sample[3]!.replace('Inf', 'Infinity'))
    current.samples.push({ name: sample[1]!, labels, value })
  })
  for (const family of families.values()) checkFamily(family)
  return families
}

function namesOf({ name, type }: ParsedFamily, form: string): string[] {
  if (type === 'histogram') return [`${name}_bucket`, `${name}_sum`, `${name}_count`]
  if (type === 'summary') return [name, `${name}_sum`, `${name}_count`]
  return [form === 'openmetrics' && type === 'counter' ? `${name}_total` : name]
}

function labelsOf(text: string): Record<string, string> | null {
  const labels: Record<string, string> = {}
  let previous = ''
  let at = 0
  while (at < text.length) {
    LABEL.lastIndex = at
    const found = LABEL.exec(text)
    if (!found) return null
    const [all, name = '', value = ''] = found
    // Names rise, so that none is there twice; those that the type adds come last.
    if (name <= previous && name !== 'le' && name !== 'quantile') return null
    previous = name
    labels[name] = value.replaceAll(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c))
    at += all.length
  }
  return text.endsWith(',') ? null : labels
}

function checkFamily({ name, type, samples }: ParsedFamily): void {
  const seen = new Set<string>()
  const histograms = new Map<string, { bounds: number[]; counts: number[]; total: number }>()
  if (samples.length === 0) throw new Error(`${name} has no sample`)
  for (const { name: sample, labels, value } of samples) {
    const key = `${sample} ${JSON.stringify(Object.entries(labels))}`
    if (seen.has(key)) throw new Error(`twice: ${key}`)
    seen.add(key)
    if ((type === 'counter' || type === 'histogram') && !(value >= 0))
      throw new Error(`below zero: ${key}`)
    if (type !== 'histogram') continue
    const { le, ...others } = labels
    const series = JSON.stringify(Object.entries(others))
    const one = histograms.get(series) ?? { bounds: [], counts: [], total: -1 }
    histograms.set(series, one)
    if (sample.endsWith('_bucket')) {
      one.bounds.push(le === '+Inf' ? Infinity : Number(le))
      one.counts.push(value)
    } else if (sample.endsWith('_count')) one.total = value
  }
  for (const [series, { bounds, counts, total }] of histograms) {
    const rises = (list: readonly number[], step: (a: number, b: number) => boolean) =>
      list.every((value, i) => i === 0 || step(list[i - 1]!, value))
    if (!rises(bounds, (a, b) => a < b) || bounds.at(-1) !== Infinity)
      throw new Error(`bounds of ${name}${series}: ${bounds.join(' ')}`)
    if (!rises(counts, (a, b) => a <= b) || counts.at(-1) !== total)
      throw new Error(`counts of ${name}${series}: ${counts.join(' ')} of ${total}`)
  }
}

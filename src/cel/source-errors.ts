/** Errors in the source of an expression, with the line and the place in it. */

const DESCRIPTION = '<input>'

// After so many errors, or so many characters, the rest is counted.
const MAX_SHOWN = 100
const MAX_LENGTH = 65_536

interface SourceError {
  /** Index in the source; null for an error of the whole. */
  readonly at: number | null
  readonly message: string
}

/** Collects the errors in one source. */
export class SourceErrors {
  readonly #source: string
  readonly #errors: SourceError[] = []

  constructor(source: string) {
    this.#source = source
  }

  /** Whether there is none. */
  get isEmpty(): boolean {
    return this.#errors.length === 0
  }

  /** Reports an error at an index of the source, or of the source as a whole. */
  report(at: number | null, message: string): void {
    this.#errors.push({ at, message })
  }

  /** All errors in the order of their places. */
  format(): string {
    const sorted = this.#errors.toSorted((a, b) => (a.at ?? -1) - (b.at ?? -1))
    const texts: string[] = []
    let length = 0
    for (const one of sorted) {
      if (texts.length === MAX_SHOWN || length > MAX_LENGTH) break
      const text = this.#formatOne(one)
      texts.push(text)
      length += text.length
    }
    const left = sorted.length - texts.length
    return [...texts, ...(left > 0 ? [`${left} more errors were truncated`] : [])].join('\n')
  }

  #formatOne({ at, message }: SourceError): string {
    if (at === null) return `ERROR: ${DESCRIPTION}:-1:0: ${message}`
    const start = this.#source.lastIndexOf('\n', at - 1) + 1
    const end = this.#source.indexOf('\n', at)
    const line = this.#source.slice(start, end < 0 ? undefined : end).replaceAll('\t', ' ')
    const number = this.#source.slice(0, start).split('\n').length
    const before = [...line.slice(0, at - start)]
    const marks = before.map((char) => (isWide(char) ? '．' : '.')).join('')
    const marked = line.slice(at - start)
    const mark = isWide(marked) ? '＾' : '^'
    return `ERROR: ${DESCRIPTION}:${number}:${before.length + 1}: ${message}\n | ${line}\n | ${marks}${mark}`
  }
}

const isWide = (text: string): boolean => (text.codePointAt(0) ?? 0) > 0x7f

/** A source that is no expression. */
export class CompileError extends Error {}

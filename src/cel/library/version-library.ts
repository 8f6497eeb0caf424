/** Semantic versions, such as `1.2.3-alpha.1`. */
import { traversal } from '../cost-rule.ts'
import type { Library } from '../environment.ts'
import { failure } from '../failure.ts'
import { global, member } from '../function-declaration.ts'
import { asInt, type Int } from '../numbers.ts'
import { BOOL, INT, opaque, STRING } from '../type.ts'
import { LibraryValue } from '../values.ts'

const SEMVER = opaque('version.Semver')
const MAX_PART = 2n ** 64n

const NUMBER = /^(?:0|[1-9]\d*)$/
const NAME = /^[0-9A-Za-z-]+$/

class SemverValue extends LibraryValue {
  readonly typeName = SEMVER.name
  readonly core: readonly [bigint, bigint, bigint]
  readonly before: readonly string[]

  /** `before` are the names of a version that comes before the release. */
  constructor(core: readonly [bigint, bigint, bigint], before: readonly string[]) {
    super()
    this.core = core
    this.before = before
  }

  equals(other: SemverValue): boolean {
    return this.compare(other) === 0
  }

  compare(other: SemverValue): number {
    for (const [i, part] of this.core.entries()) {
      if (part !== other.core[i]) return part < other.core[i]! ? -1 : 1
    }
    // A version without names is the release, which comes last.
    if (this.before.length === 0 || other.before.length === 0) {
      return Number(this.before.length === 0) - Number(other.before.length === 0)
    }
    return compareNames(this.before, other.before)
  }
}

function compareNames(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left, right] = [a[i]!, b[i]!]
    if (left === right) continue
    const [isNumber, isOther] = [NUMBER.test(left), NUMBER.test(right)]
    if (isNumber !== isOther) return isNumber ? -1 : 1
    if (isNumber) return BigInt(left) < BigInt(right) ? -1 : 1
    return left < right ? -1 : 1
  }
  return Math.sign(a.length - b.length)
}

/** Reads a version; null for what is none. One that is normalized may lack parts, and have a `v` before it. */
function readSemver(written: string, normalizes: boolean): SemverValue | null {
  const [version = '', build] = halves(normalizes ? normalized(written) : written, '+')
  const [core, before] = halves(version, '-')
  const parts = core!.split('.')
  if (parts.length !== 3 || !parts.every((part) => NUMBER.test(part))) return null
  const numbers = parts.map(BigInt) as [bigint, bigint, bigint]
  if (numbers.some((part) => part >= MAX_PART)) return null
  const names = before?.split('.') ?? []
  const isName = (name: string) => NAME.test(name) && (!/^\d+$/.test(name) || NUMBER.test(name))
  if (!names.every(isName)) return null
  if (build !== undefined && !build.split('.').every((name) => NAME.test(name))) return null
  return new SemverValue(numbers, names)
}

function normalized(written: string): string {
  const [, core = '', rest = ''] = /^v?([^+-]*)(.*)$/s.exec(written)!
  const parts = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''))
  // What has less than three parts may have nothing behind them.
  while (parts.length < 3 && rest === '') parts.push('0')
  return `${parts.join('.')}${rest}`
}

function halves(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function semverOf(text: string, normalizes = false): SemverValue {
  const version = readSemver(text, normalizes)
  if (!version) throw failure(`No Major.Minor.Patch elements found: ${JSON.stringify(text)}`)
  return version
}

const isSemver = (text: string, normalizes = false): boolean =>
  readSemver(text, normalizes) !== null

const part =
  (index: 0 | 1 | 2) =>
  ({ core }: SemverValue): Int =>
    asInt(core[index])

const PAIR = [SEMVER, SEMVER]

/** Versions and their order. */
export const versionLibrary = (): Library => ({
  types: [[SEMVER.name, SEMVER]],
  functions: [
    global(
      'semver',
      ['string_to_semver', [STRING], SEMVER, (text: string) => semverOf(text), traversal(0)],
      ['string_bool_to_semver', [STRING, BOOL], SEMVER, semverOf, traversal(0)],
    ),
    global(
      'isSemver',
      ['is_semver_string', [STRING], BOOL, (text: string) => isSemver(text), traversal(0)],
      ['is_semver_string_bool', [STRING, BOOL], BOOL, isSemver, traversal(0)],
    ),
    member('major', ['semver_major', [SEMVER], INT, part(0)]),
    member('minor', ['semver_minor', [SEMVER], INT, part(1)]),
    member('patch', ['semver_patch', [SEMVER], INT, part(2)]),
    member('isGreaterThan', [
      'semver_is_greater_than',
      PAIR,
      BOOL,
      (a: SemverValue, b: SemverValue) => a.compare(b) > 0,
    ]),
    member('isLessThan', [
      'semver_is_less_than',
      PAIR,
      BOOL,
      (a: SemverValue, b: SemverValue) => a.compare(b) < 0,
    ]),
    member('compareTo', [
      'semver_compare_to',
      PAIR,
      INT,
      (a: SemverValue, b: SemverValue) => a.compare(b),
    ]),
  ],
})

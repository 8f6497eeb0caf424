/** Levels and policies of pod security, as labels of namespaces and the configuration name them. */
import { FieldErrors } from '../../../meta/field-errors.ts'
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts'

/** From the most to the least permissive. */
export const LEVELS = ['privileged', 'baseline', 'restricted'] as const
export type Level = (typeof LEVELS)[number]

/** `enforce` refuses pods, `audit` adds to the audit record, `warn` warns the client. */
export const MODES = ['enforce', 'audit', 'warn'] as const
export type Mode = (typeof MODES)[number]

/** A level as it was in one release: `latest`, or the minor release of 1. */
export interface LevelVersion {
  readonly level: Level
  readonly version: 'latest' | number
}

/** The level of each mode. */
export type Policy = Readonly<Record<Mode, LevelVersion>>

const PRIVILEGED: LevelVersion = { level: 'privileged', version: 'latest' }

/** The policy of namespaces without labels, unless one is configured. */
export const PRIVILEGED_POLICY: Policy = {
  enforce: PRIVILEGED,
  audit: PRIVILEGED,
  warn: PRIVILEGED,
}

export const LEVEL_MESSAGE = `must be one of ${LEVELS.join(', ')}`
export const VERSION_MESSAGE = 'must be "latest" or "v1.x"'

/** The level of a text; null for an unknown one. */
export const levelOf = (text: string): Level | null =>
  (LEVELS as readonly string[]).includes(text) ? (text as Level) : null

/** The version of a text; null for an invalid one. */
export function versionOf(text: string): LevelVersion['version'] | null {
  if (text === 'latest') return text
  const minor = /^v1\.(0|[1-9][0-9]{0,17})$/.exec(text)?.[1]
  return minor === undefined ? null : Number(minor)
}

/** `<level>:<version>`, as messages show it. */
export const levelText = ({ level, version }: LevelVersion): string =>
  `${level}:${version === 'latest' ? version : `v1.${version}`}`

/** The modes of a policy that restrict something, as messages show them. */
export const policyText = (policy: Policy): string =>
  MODES.filter((mode) => policy[mode].level !== 'privileged')
    .map((mode) => `${mode}=${levelText(policy[mode])}`)
    .join(', ')

export const sameLevel = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && a.version === b.version

/** Whether a level permits at least what another one does. */
export const isRelaxed = (level: Level, from: Level): boolean =>
  LEVELS.indexOf(level) <= LEVELS.indexOf(from)

export const isPrivileged = (policy: Policy, modes: readonly Mode[] = MODES): boolean =>
  modes.every((mode) => policy[mode].level === 'privileged')

/** Whether two policies have the same effect: the version of privileged does not matter. */
export const isEquivalent = (a: Policy, b: Policy): boolean =>
  MODES.every(
    (mode) =>
      sameLevel(a[mode], b[mode]) ||
      (a[mode].level === 'privileged' && b[mode].level === 'privileged'),
  )

/** The label that sets the level or, with `-version`, the version of a mode. */
const labelOf = (mode: Mode, part: '' | '-version', v: Vocabulary): string =>
  v.resolve(`pod-security.{label}/${mode}${part}`)

/** The policy that labels mean, and what is wrong with them. */
export interface LabelledPolicy {
  readonly policy: Policy
  readonly errors: FieldErrors
}

/**
 * The policy of a namespace with these labels. An invalid level counts as restricted when it is enforced and as
 * privileged otherwise, an invalid version as the latest.
 */
export function labelledPolicy(
  labels: Readonly<Record<string, string>>,
  defaults: Policy,
  v: Vocabulary,
): LabelledPolicy {
  const errors = new FieldErrors()
  const valueOf = <T>(key: string, read: (text: string) => T | null, rules: LabelRules<T>): T => {
    if (!Object.hasOwn(labels, key)) return rules.unset
    const text = labels[key]!
    const value = read(text)
    if (value !== null) return value
    errors.at('metadata', 'labels').key(key).invalid(text, rules.message)
    return rules.invalid
  }
  const of = (mode: Mode): LevelVersion => ({
    level: valueOf<Level>(labelOf(mode, '', v), levelOf, {
      unset: defaults[mode].level,
      invalid: mode === 'enforce' ? 'restricted' : 'privileged',
      message: LEVEL_MESSAGE,
    }),
    version: valueOf<LevelVersion['version']>(labelOf(mode, '-version', v), versionOf, {
      unset: defaults[mode].version,
      invalid: 'latest',
      message: VERSION_MESSAGE,
    }),
  })
  return { policy: { enforce: of('enforce'), audit: of('audit'), warn: of('warn') }, errors }
}

/** The value of a label that is not set or invalid, and what is wrong with an invalid one. */
interface LabelRules<T> {
  readonly unset: T
  readonly invalid: T
  readonly message: string
}

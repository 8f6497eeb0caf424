/** The configuration of pod security: the policy of namespaces without labels, and exemptions. */
import { isRecord } from '../../../base/value-checks.ts'
import { FieldErrors } from '../../../meta/field-errors.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts'
import {
  LEVEL_MESSAGE,
  levelOf,
  MODES,
  PRIVILEGED_POLICY,
  VERSION_MESSAGE,
  versionOf,
  type LevelVersion,
  type Mode,
  type Policy,
} from './policy.ts'

export interface PodSecurityConfiguration {
  /** What labels of a namespace do not say. */
  readonly defaults: Policy
  readonly exemptions: Exemptions
}

/** What is not checked, by exact names. */
export interface Exemptions {
  readonly usernames: ReadonlySet<string>
  readonly namespaces: ReadonlySet<string>
  readonly runtimeClasses: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** The configuration when none is given. */
export const DEFAULT_CONFIGURATION: PodSecurityConfiguration = {
  defaults: PRIVILEGED_POLICY,
  exemptions: { usernames: NONE, namespaces: NONE, runtimeClasses: NONE },
}

const GROUP = 'pod-security.admission.config{api}'
const VERSIONS = ['v1', 'v1beta1', 'v1alpha1']
const KIND = 'PodSecurityConfiguration'
const DEFAULTS = MODES.flatMap((mode) => [mode, `${mode}-version`])
const EXEMPTIONS = ['usernames', 'namespaces', 'runtimeClasses']

/** Rules of the names in a list of exemptions: what is wrong with a name, empty when nothing is. */
type NameRule = (name: string) => readonly string[]

/** Decodes a configuration. Throws an Error that lists its faults. */
export function decodeConfiguration(document: unknown, v: Vocabulary): PodSecurityConfiguration {
  const { defaults, exemptions } = membersOf(document, v)
  const errors = new FieldErrors()
  const policy = Object.fromEntries(
    MODES.map((mode) => [mode, levelVersion(mode, defaults, errors.at('defaults'))]),
  ) as Record<Mode, LevelVersion>
  const names = (list: string, rule: NameRule) =>
    exempted(textsOf(exemptions[list], `exemptions.${list}`), rule, errors.at('exemptions', list))
  const decoded = {
    defaults: policy,
    exemptions: {
      namespaces: names('namespaces', isDns1123Label),
      runtimeClasses: names('runtimeClasses', isDns1123Subdomain),
      usernames: names('usernames', (name) => (name === '' ? ['username must not be empty'] : [])),
    },
  }
  const texts = errors.list.map(({ field, message }) => `${field}: ${message}`)
  if (texts.length === 0) return decoded
  throw new Error(texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`)
}

type Members = Readonly<Record<string, unknown>>

/** The two parts of a document; faults of its form are errors at once. */
function membersOf(document: unknown, v: Vocabulary) {
  if (!isRecord(document)) throw new Error(`expected a ${KIND}`)
  const { kind = '', apiVersion = '' } = document
  const served = VERSIONS.some((version) => apiVersion === `${v.resolve(GROUP)}/${version}`)
  if (kind !== KIND || !served) {
    const [named, version] = [kind, apiVersion].map((one) => JSON.stringify(one))
    throw new Error(`no kind ${named} is registered for version ${version}`)
  }
  const defaults = recordOf(document, 'defaults')
  const exemptions = recordOf(document, 'exemptions')
  const unknown = [
    ...others(document, ['kind', 'apiVersion', 'defaults', 'exemptions'], ''),
    ...others(defaults, DEFAULTS, 'defaults.'),
    ...others(exemptions, EXEMPTIONS, 'exemptions.'),
  ]
  if (unknown.length > 0) throw new Error(`strict decoding error: ${unknown.join(', ')}`)
  return { defaults, exemptions }
}

function recordOf(document: Members, name: string): Members {
  const found = document[name] ?? {}
  if (!isRecord(found)) throw new Error(`${name}: must be an object`)
  return found
}

const others = (members: Members, known: readonly string[], at: string): string[] =>
  Object.keys(members)
    .filter((name) => !known.includes(name))
    .map((name) => `unknown field ${JSON.stringify(at + name)}`)

function levelVersion(mode: Mode, defaults: Members, errors: FieldErrors): LevelVersion {
  const { level, version } = PRIVILEGED_POLICY[mode]
  return {
    level: valueOf(mode, defaults, { read: levelOf, unset: level, message: LEVEL_MESSAGE }, errors),
    version: valueOf(
      `${mode}-version`,
      defaults,
      { read: versionOf, unset: version, message: VERSION_MESSAGE },
      errors,
    ),
  }
}

interface ValueRules<T> {
  readonly read: (text: string) => T | null
  readonly unset: T
  readonly message: string
}

function valueOf<T>(
  name: string,
  defaults: Members,
  { read, unset, message }: ValueRules<T>,
  errors: FieldErrors,
): T {
  const text = defaults[name] ?? ''
  if (typeof text !== 'string') throw new Error(`defaults.${name}: must be a string`)
  if (text === '') return unset
  const value = read(text)
  if (value === null) errors.at(name).invalid(text, message)
  return value ?? unset
}

function textsOf(list: unknown, at: string): readonly string[] {
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) throw new Error(`${at}: must be a list`)
  const wrong = list.findIndex((name) => typeof name !== 'string')
  if (wrong !== -1) throw new Error(`${at}[${wrong}]: must be a string`)
  return list as string[]
}

function exempted(
  names: readonly string[],
  rule: NameRule,
  errors: FieldErrors,
): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [i, name] of names.entries()) {
    const faults = rule(name)
    if (faults.length > 0) errors.at(i).invalid(name, faults.join(', '))
    else if (found.has(name)) errors.at(i).duplicate(name)
    else found.add(name)
  }
  return found
}

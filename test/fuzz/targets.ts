/** Query strings and paths, as the documents have them and otherwise. */
import type { Dice } from './dice.ts'
import { mutateBytes } from './mutate-bytes.ts'
import type { Operation } from './operations.ts'
import { hostileText } from './values.ts'

/** What parameters of a name are usually given. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  labelSelector: [
    'app=minimal',
    'a in (b,c)',
    '!a',
    'a',
    'a notin (b)',
    'a>1',
    'x!=y,z=',
    ',',
    'a=b=c',
  ],
  fieldSelector: [
    'metadata.name=a',
    'metadata.namespace!=b',
    'spec.nodeName=',
    'status.phase=Running',
    '=',
    'a',
  ],
  resourceVersion: ['0', '1', '', '-1', '99999999999999999999', '01', 'x', '5'],
  resourceVersionMatch: ['Exact', 'NotOlderThan', '', 'exact'],
  limit: ['1', '2', '0', '-1', '500', '9223372036854775807', ''],
  timeoutSeconds: ['1', '0', '-1', '', '1.5', '9223372036854775807'],
  dryRun: ['All', '', 'all', 'All,All'],
  propagationPolicy: ['Orphan', 'Background', 'Foreground', '', 'x'],
  gracePeriodSeconds: ['0', '1', '-1', '', '9223372036854775807'],
  fieldManager: ['fuzz', '', 'a/b', 'x'.repeat(129)],
  fieldValidation: ['Strict', 'Warn', 'Ignore', '', 'strict'],
  watch: ['true', 'false', '1', '0', '', 'x'],
  force: ['true', 'false', '', 'x'],
  pretty: ['true', 'false', '', '1'],
  continue: ['', 'x', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0'],
}

/** Parameters that no operation may name and that mean something, or once did, or are misspelled. */
const OTHERS = [
  'watch',
  'as',
  'export',
  'exact',
  'DryRun',
  'includeObject',
  '__proto__',
  'a[]',
  '',
  'timeout',
]

/** A query for an operation, with its question mark; empty where nothing is asked. */
export function queryFor(operation: Operation, random: Dice, tokens: readonly string[]): string {
  const parts: string[] = []
  const share =
    operation.query.length === 0 ? 0 : random.pick([0, 0, 1.5, 3]) / operation.query.length
  const add = (name: string, value: string) =>
    parts.push(`${name}=${random.chance(0.97) ? encoded(value) : value}`)
  for (const { name, type } of operation.query) {
    if (!random.chance(share)) continue
    if (name === 'continue' && tokens.length > 0 && random.chance(0.7)) {
      const token = Buffer.from(random.pick(tokens))
      add(name, (random.chance(0.5) ? token : mutateBytes(token, random, 1)).toString('latin1'))
    } else add(name, valueFor(name, type, random))
    if (random.chance(0.05)) add(name, valueFor(name, type, random))
  }
  if (random.chance(0.03)) add(random.pick(OTHERS), random.pick(['true', '1', hostileText(random)]))
  return parts.length === 0 ? '' : `?${parts.join(random.chance(0.99) ? '&' : ';')}`
}

function valueFor(name: string, type: string, random: Dice): string {
  const usual = USUAL[name]
  if (usual && random.chance(0.85)) return random.pick(usual)
  if (type === 'integer' && random.chance(0.5)) return String(random.pick([0, 1, -1, 2 ** 31]))
  if (type === 'boolean' && random.chance(0.5)) return random.pick(['true', 'false'])
  return hostileText(random)
}

/** A text as UTF-8 has it: halves of characters are replaced. */
const wellFormed = (text: string): string => Buffer.from(text).toString()

/** A text as a path segment or a value of a query; what is no Unicode, too. */
export const encoded = (text: string): string => encodeURIComponent(wellFormed(text))

type Change = (target: string, random: Dice) => string

const CHANGES: readonly Change[] = [
  (target, random) => mutateBytes(Buffer.from(target, 'latin1'), random, 1).toString('latin1'),
  (target) => `/${target}`,
  (target) => `${target.split('?')[0]}/`,
  (target) => target.replace('/', '//'),
  (target) => target.replace(/[^/?]+$/, '..'),
  (target, random) => target.replace(/[^/?]+/, (part) => (random.chance(0.5) ? '.' : `${part}/..`)),
  (target) => target.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (target, random) =>
    `${target}${random.pick(['%', '%0', '%00', '%2f', '%2e%2e', '#x', ';a=b', '%ff'])}`,
  (target, random) =>
    `${target}${random.pick(['/status', '/scale', '/log', '/exec', '/x', '/token'])}`,
  (target) => target.toUpperCase(),
  (target) => `https://localhost${target}`,
  () => '*',
  (_, random) => `/${hostileText(random)}`,
  (target, random) => `/api/v1/proxy${target}${random.pick(['', '?'])}`,
  (target) => target.replace('/api/v1/', '/api/v1/watch/'),
  (target) => target.replace(/\/v[0-9a-z]+\//, '/v9/'),
  (target, random) => `${target}?${'a=b&'.repeat(random.pick([10, 1000, 4000]))}`,
]

/** A target that differs from this one. Characters beyond ASCII, blanks and control characters stand as they are. */
export const mutateTarget = (target: string, random: Dice): string =>
  random.pick(CHANGES)(target, random)

/** Checks the options of an embedded server with the declarations of the command-line flags. */
import { nearest } from '../../base/nearest.ts'
import {
  bytes,
  callback,
  group,
  having,
  isRecord,
  milliseconds,
  objects,
  oneOf,
  plugins,
  text,
  truth,
  whole,
  type Check,
} from '../../base/value-checks.ts'
import { serverFlags } from './server-flags.ts'
import type { Flag } from '../../flags/flags.ts'

const flags: readonly (readonly [string, Flag])[] = Object.entries(serverFlags)

/** Options without a flag, or with another type than their flag. */
const MORE: readonly (readonly [string, Check])[] = [
  ['store', oneOf(['lmdb', 'memory', 'etcd'])],
  ['etcd.ca', bytes],
  ['etcd.cert', bytes],
  ['etcd.key', bytes],
  ['serverLease.ttlMs', milliseconds(1)],
  ['serverLease.renewMs', milliseconds(1)],
  ['minRequestTimeoutMs', milliseconds(1)],
  ['etcd.leaseReuseMs', milliseconds(1)],
  ['rootCa', text],
  ['agentTls.ca', text],
  ['agentTls.cert', text],
  ['agentTls.key', text],
  ['proxiesToLoopback', truth],
  ['authentication.oidc.ca', text],
  ['authentication.serviceAccounts.maxExpirationSeconds', whole(0)],
  ['onDeprecated', callback],
  ['stages', objects],
  ['log', having('error', 'warn', 'info', 'debug', 'v', 'child')],
  ['clock', having('now', 'after')],
  ['ids', having('uid', 'suffix', 'fraction')],
  ['shutdownGraceMs', milliseconds(0)],
  ['strangersPerAddress', whole(1)],
  ['bodyMemoryBytes', whole(1)],
  ['admission', plugins],
]

/** Options that are mandatory in their group. */
const REQUIRED = [
  'etcd.servers',
  'etcd.prefix',
  'audit.log.path',
  'audit.webhook.configFile',
  'authentication.oidc.issuerUrl',
  'authentication.oidc.clientId',
  'authentication.webhook.configFile',
  'authentication.requestHeader.clientCaFile',
  'authorization.webhook.configFile',
]

const checks: ReadonlyMap<string, Check> = new Map([
  ...flags.flatMap(([, flag]) =>
    flag.option === undefined ? [] : [[flag.option, checkOf(flag)] as const],
  ),
  ...MORE,
])

const groups: ReadonlySet<string> = new Set(
  [...checks.keys()].flatMap((path) => {
    const names = path.split('.')
    return names.slice(1).map((_, i) => names.slice(0, i + 1).join('.'))
  }),
)

/** The paths of all options, for the reference. */
export const optionPaths: readonly string[] = [...checks.keys()]

/** The check of a flag's option, and then the check of the text of its value. */
function checkOf({ takes = text, check }: Flag): Check {
  return (value) => takes(value) ?? check?.(value) ?? null
}

/** Throws an Error that lists all invalid options. */
export function checkOptions(options: unknown): void {
  const problem = group(options)
  if (problem !== null) throw new Error(`the options of a server ${problem}`)
  const problems = problemsOf(options as Readonly<Record<string, unknown>>, '')
  if (problems.length > 0) throw new Error(problems.join('; '))
}

function problemsOf(options: Readonly<Record<string, unknown>>, prefix: string): string[] {
  const found = Object.entries(options).flatMap(([name, value]) => {
    const path = prefix + name
    const check = checks.get(path)
    if (check === undefined && !groups.has(path)) return [unknown(name, prefix)]
    if (value === undefined) return []
    const problem = (check ?? group)(value)
    if (problem !== null) return [`${path} ${problem}`]
    return check === undefined && isRecord(value) ? problemsOf(value, `${path}.`) : []
  })
  const missing = REQUIRED.filter(
    (path) =>
      path.slice(0, path.lastIndexOf('.') + 1) === prefix &&
      options[path.slice(prefix.length)] === undefined,
  )
  return [...found, ...missing.map((path) => `${path} must be given`)]
}

/** Suggests an option for the name of a flag, or for a wrong group. */
function unknown(name: string, prefix: string): string {
  const siblings = [...checks.keys(), ...groups]
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length).replace(/\..*/, ''))
  const near = nearest(name, siblings)
  const meant =
    near === null
      ? (flags.find(([flag]) => flag === name || capitalized(flag) === name)?.[1].option ??
        optionPaths.find((path) => path.endsWith(`.${name}`)))
      : prefix + near
  return `unknown option ${prefix}${name}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`
}

const capitalized = (flag: string) =>
  flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

const optionOf: ReadonlyMap<string, string> = new Map(
  flags.flatMap(([name, { option }]) => (option === undefined ? [] : [[name, option] as const])),
)

/**
 * Start errors name flags. Users of an embedded server know the options instead: returns the same error with those
 * names.
 */
export function inOptions(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const message = error.message.replaceAll(
    /--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)/g,
    (flag, name: string) => optionOf.get(name) ?? flag,
  )
  if (message === error.message) return error
  // The stack begins with the message.
  const stack = error.stack?.replace(error.message, () => message)
  return Object.defineProperties(error, {
    message: { value: message, configurable: true, writable: true, enumerable: false },
    ...(stack === undefined
      ? {}
      : { stack: { value: stack, configurable: true, writable: true, enumerable: false } }),
  })
}

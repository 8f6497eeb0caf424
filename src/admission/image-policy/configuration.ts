/** The configuration of the webhook that decides about images. */
import { formatDuration } from '../../base/duration.ts'
import type { ClientConfig } from '../../client/client-config.ts'
import { recordAt, textAt, UnknownMembers } from '../../meta/config-members.ts'

/** Name of the only member of the document. */
export const IMAGE_POLICY = 'imagePolicy'
const MEMBERS = ['kubeConfigFile', 'allowTTL', 'denyTTL', 'retryBackoff', 'defaultAllow']

/** Where the webhook is, and what of its decisions is kept. */
export interface ImagePolicyConfig {
  readonly client: ClientConfig
  /** How long images that are allowed are not asked about again; 0: they are. */
  readonly allowTtlMs: number
  /** The same of those that are denied. */
  readonly denyTtlMs: number
  /** Delay before the second attempt at a call. */
  readonly retryDelayMs: number
  /** Whether images are allowed when the webhook fails. */
  readonly defaultAllow: boolean
}

/** How a duration is written: as a number of units, 0 for the default, -1 for none. */
interface DurationRules {
  readonly unitMs: number
  readonly leastMs: number
  readonly mostMs: number
  readonly defaultMs: number
}

const ALLOW = { unitMs: 1000, leastMs: 1000, mostMs: 1_800_000, defaultMs: 300_000 }
const DENY = { ...ALLOW, defaultMs: 30_000 }
const RETRY = { unitMs: 1, leastMs: 1, mostMs: 300_000, defaultMs: 500 }

/** Decodes the configuration and reads the client configuration that it names. Throws an Error about a fault. */
export async function readImagePolicy(document: unknown): Promise<ImagePolicyConfig> {
  const outer = recordAt(document, 'the document')
  const members = recordAt(outer[IMAGE_POLICY], IMAGE_POLICY)
  const unknown = new UnknownMembers()
  unknown.collect(outer, [IMAGE_POLICY])
  unknown.collect(members, MEMBERS, `${IMAGE_POLICY}.`)
  unknown.refuse()
  const at = (name: string) => `${IMAGE_POLICY}.${name}`
  const durationOf = (name: string, rules: DurationRules) =>
    durationMs(members[name], at(name), rules)
  const { defaultAllow = false } = members
  if (typeof defaultAllow !== 'boolean') throw new Error(`${at('defaultAllow')}: must be a boolean`)
  const path = textAt(members['kubeConfigFile'], at('kubeConfigFile'))
  const durations = {
    allowTtlMs: durationOf('allowTTL', ALLOW),
    denyTtlMs: durationOf('denyTTL', DENY),
    retryDelayMs: durationOf('retryBackoff', RETRY),
  }
  if (path === '') throw new Error(`${at('kubeConfigFile')}: Required value`)
  return { client: await clientIn(path, at('kubeConfigFile')), ...durations, defaultAllow }
}

async function clientIn(path: string, at: string): Promise<ClientConfig> {
  const [{ loadKubeconfig }, { serverUrl }] = await Promise.all([
    import('../../client/kubeconfig.ts'),
    import('../../client/server-address.ts'),
  ])
  try {
    const client = await loadKubeconfig(path)
    serverUrl(client)
    return client
  } catch (error) {
    throw new Error(`${at}: ${(error as Error).message}`, { cause: error })
  }
}

function durationMs(
  value: unknown,
  at: string,
  { unitMs, leastMs, mostMs, defaultMs }: DurationRules,
): number {
  const count = value ?? 0
  if (!Number.isSafeInteger(count)) throw new Error(`${at}: must be a whole number`)
  if (count === -1) return 0
  if (count === 0) return defaultMs
  const ms = (count as number) * unitMs
  if (ms >= leastMs && ms <= mostMs) return ms
  const [least, most, given] = [leastMs, mostMs, ms].map((one) =>
    formatDuration(BigInt(one) * 1_000_000n),
  )
  throw new Error(`${at}: valid value is between ${least} and ${most}, got ${given}`)
}

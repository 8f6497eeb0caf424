/** The signers of the cluster and the requests that they accept. */
import type { RequestContent } from '../../kinds/certificates/signed-request.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** Signers that may have certificates of their own. */
export type SignerId = 'agentServing' | 'agentClient' | 'serverClient' | 'legacyUnknown'

const NAMES: Readonly<Record<SignerId, string>> = {
  agentServing: '{label}/{agent}-serving',
  agentClient: '{label}/{system}-apiserver-client-{agent}',
  serverClient: '{label}/{system}-apiserver-client',
  legacyUnknown: '{label}/legacy-unknown',
}

export const SIGNER_IDS = Object.keys(NAMES) as readonly SignerId[]

/** The name of a signer in requests. */
export const signerName = (id: SignerId, v: Vocabulary): string => v.resolve(NAMES[id])

/** The signer of a name; null for those of others. */
export const signerOf = (name: string, v: Vocabulary): SignerId | null =>
  SIGNER_IDS.find((id) => signerName(id, v) === name) ?? null

const NODE_GROUP = 'system:nodes'
const NODE_PREFIX = 'system:node:'
const AGENT_USAGES = ['digital signature', 'key encipherment']

type Fault = (content: RequestContent, usages: readonly string[]) => string | null

const FAULTS: Readonly<Record<SignerId, Fault>> = {
  agentServing: (content, usages) =>
    groupFault(content) ??
    (content.dnsNames.length === 0 && content.ipAddresses.length === 0
      ? 'DNS or IP subjectAltName is required'
      : null) ??
    noneOf(content.emailAddresses, 'Email') ??
    noneOf(content.uris, 'URI') ??
    usagesFault(usages, [...AGENT_USAGES, 'server auth']) ??
    nameFault(content),
  agentClient: (content, usages) =>
    groupFault(content) ??
    noneOf(content.dnsNames, 'DNS') ??
    noneOf(content.emailAddresses, 'Email') ??
    noneOf(content.ipAddresses, 'IP') ??
    noneOf(content.uris, 'URI') ??
    nameFault(content) ??
    usagesFault(usages, ['client auth', ...AGENT_USAGES]),
  serverClient: (_, usages) => {
    const other = usages.find((usage) => ![...AGENT_USAGES, 'client auth'].includes(usage))
    if (other !== undefined) return `invalid usage for client certificate: ${other}`
    if (usages.includes('client auth')) return null
    return 'missing required usage for client certificate: client auth'
  },
  legacyUnknown: () => null,
}

/** Why a signer refuses a request; null when it does not. */
export const requestFault = (
  id: SignerId,
  content: RequestContent,
  usages: readonly string[],
): string | null => FAULTS[id](content, usages)

const groupFault = ({ organizations }: RequestContent): string | null =>
  organizations.length === 1 && organizations[0] === NODE_GROUP
    ? null
    : 'subject organization is not system:nodes'

const nameFault = ({ commonName }: RequestContent): string | null =>
  commonName.startsWith(NODE_PREFIX) ? null : 'subject common name does not begin with system:node:'

const noneOf = (names: readonly unknown[], what: string): string | null =>
  names.length === 0 ? null : `${what} subjectAltNames are not allowed`

// Differs: the reference accepts requests without key encipherment; the seed of this project names all three.
const usagesFault = (usages: readonly string[], wanted: readonly string[]): string | null =>
  usages.length === wanted.length && wanted.every((usage) => usages.includes(usage))
    ? null
    : `usages did not match [${wanted.toSorted().join(' ')}]`

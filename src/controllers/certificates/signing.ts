import type { CertificateSigningRequest } from '../../kinds/certificates/certificate-signing-request.ts'
import { requestContent, type RequestContent } from '../../kinds/certificates/signed-request.ts'
import type { Controller } from '../controller.ts'
import { asleep, following, handled, onChange } from '../following.ts'
import {
  ACCOUNT,
  conditionOf,
  isIssued,
  requestQueue,
  signingRequests,
  withCondition,
} from './requests.ts'
import { requestFault, signerOf, type SignerId } from './signers.ts'

/** A certificate that is to be signed. */
export interface CertificateContent extends RequestContent {
  readonly usages: readonly string[]
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

/** Signs certificates in the name of an authority. */
export interface CertificateAuthority {
  /** End of the authority's own certificate, milliseconds since the epoch. */
  readonly notAfterMs: number
  /** The signed certificate, PEM. */
  sign(content: CertificateContent): Promise<string>
}

/** Dependencies of the controller. */
export interface SigningParts {
  /** Authorities of signers; requests to others wait. */
  readonly authorities: Readonly<Partial<Record<SignerId, CertificateAuthority>>>
  /** Longest lifetime of certificates. */
  readonly durationMs: number
}

const NAME = 'csrsigning'
const SHORTEST_MS = 600_000
/** Clocks of others may be behind. */
const BACKDATE_MS = 300_000
/** Shorter lifetimes are not shortened by what a certificate is dated back. */
const SHORT_MS = 8 * 3_600_000

/** Signs approved requests to the signers of the cluster; requests that break their rules fail. */
export const certificateSigning = ({ authorities, durationMs }: SigningParts): Controller => ({
  name: NAME,
  async start(context) {
    const { clock, informers, resources, signal, v } = context
    const address = signingRequests(v)
    if (!(await resources.serves(address))) return asleep
    const client = context.clientFor(ACCOUNT)
    const requests = informers.of<CertificateSigningRequest>(address)
    const queue = requestQueue(context, NAME, async (name) => {
      const request = requests.lister.get('', name)
      if (!request || !isToSign(request)) return
      const id = signerOf(request.spec.signerName, v)
      const authority = id && authorities[id]
      if (!id || !authority) return
      const { usages = [], expirationSeconds } = request.spec
      const content = requestContent(request.spec.request)
      const status = client.resource<CertificateSigningRequest>(address).sub('status')
      const fault = requestFault(id, content, usages)
      if (fault !== null) {
        const reason = 'SignerValidationFailure'
        await status.update(withCondition(request, { type: 'Failed', reason, message: fault }))
        return
      }
      const wantedMs = expirationSeconds === undefined ? durationMs : expirationSeconds * 1000
      const times = timesOf(Math.min(Math.max(wantedMs, SHORTEST_MS), durationMs), clock.now())
      const pem = await signedBy(authority, { ...content, usages: [...usages], ...times })
      const certificate = Buffer.from(pem).toString('base64')
      await status.update({ ...request, status: { ...request.status, certificate } })
    })
    return following(queue, client, [
      await handled(
        requests,
        onChange(({ name }) => queue.add(name)),
        signal,
      ),
    ])
  },
})

const isToSign = (request: CertificateSigningRequest): boolean =>
  !isIssued(request) &&
  conditionOf(request, 'Approved') !== undefined &&
  conditionOf(request, 'Denied') === undefined &&
  conditionOf(request, 'Failed') === undefined

const timesOf = (lifetimeMs: number, nowMs: number) => ({
  notBeforeMs: nowMs - BACKDATE_MS,
  notAfterMs: nowMs + lifetimeMs - (lifetimeMs < SHORT_MS ? 0 : BACKDATE_MS),
})

/** A certificate ends with its authority at the latest. Throws when that has ended. */
function signedBy(authority: CertificateAuthority, content: CertificateContent): Promise<string> {
  const nowMs = content.notBeforeMs + BACKDATE_MS
  if (nowMs >= authority.notAfterMs) {
    throw new Error('refusing to sign: the certificate of the authority has expired')
  }
  const notAfterMs = Math.min(content.notAfterMs, authority.notAfterMs)
  return authority.sign({ ...content, notAfterMs })
}

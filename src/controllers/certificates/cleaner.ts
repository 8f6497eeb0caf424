import { X509Certificate } from 'node:crypto'
import { parsedTime } from '../../base/time.ts'
import { isNotFound } from '../../client/resource-client.ts'
import type { CertificateSigningRequest } from '../../kinds/certificates/certificate-signing-request.ts'
import { workQueue, type Controller } from '../controller.ts'
import { asleep, following, handled } from '../following.ts'
import { ACCOUNT, conditionOf, isIssued, signingRequests } from './requests.ts'

const NAME = 'csrcleaner'
const HOUR_MS = 3_600_000
const DECIDED_MS = HOUR_MS
const PENDING_MS = 24 * HOUR_MS
/** The only key of the queue: all requests. */
const ALL = 'all'

/** Deletes requests that are over, each hour. */
export const certificateCleaner: Controller = {
  name: NAME,
  async start(context) {
    const { clock, informers, resources, signal, v } = context
    const address = signingRequests(v)
    if (!(await resources.serves(address))) return asleep
    const client = context.clientFor(ACCOUNT)
    const requests = informers.of<CertificateSigningRequest>(address)
    const of = client.resource<CertificateSigningRequest>(address)
    const queue = workQueue(context, NAME, {
      async work() {
        const nowMs = clock.now()
        const failures: unknown[] = []
        for (const request of requests.lister.list()) {
          if (!isOver(request, nowMs)) continue
          const { name = '', uid = '' } = request.metadata
          await of.delete(name, { preconditions: { uid } }).catch((error: unknown) => {
            if (!isNotFound(error)) failures.push(error)
          })
        }
        // One that cannot be deleted does not keep the others.
        if (failures.length > 0) throw failures[0]
        return HOUR_MS
      },
    })
    const end = await handled(requests, {}, signal)
    queue.add(ALL)
    return following(queue, client, [end])
  },
}

function isOver(request: CertificateSigningRequest, nowMs: number): boolean {
  const isPast = (time: string | undefined, afterMs: number) =>
    nowMs - (parsedTime(time) ?? nowMs) > afterMs
  const isDecidedPast = (type: string) =>
    isPast(conditionOf(request, type)?.lastUpdateTime, DECIDED_MS)
  const isPending = (request.status?.conditions ?? []).length === 0
  return (
    (isIssued(request) && (isDecidedPast('Approved') || hasExpired(request, nowMs))) ||
    isDecidedPast('Denied') ||
    isDecidedPast('Failed') ||
    (isPending && isPast(request.metadata.creationTimestamp, PENDING_MS))
  )
}

function hasExpired({ status }: CertificateSigningRequest, nowMs: number): boolean {
  try {
    const pem = Buffer.from(status?.certificate ?? '', 'base64').toString('latin1')
    return Date.parse(new X509Certificate(pem).validTo) < nowMs
  } catch {
    // A certificate of another signer that cannot be read is not ours to judge.
    return false
  }
}

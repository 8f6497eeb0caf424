/** What the controllers of certificate requests share. */
import type { ResourceAddress } from '../../client/transport.ts'
import type { CertificateSigningRequest } from '../../kinds/certificates/certificate-signing-request.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { workQueue, type StartingContext } from '../controller.ts'

/** The account that all of them act as. */
export const ACCOUNT = 'certificate-controller'
const WORKERS = 5
const LEAST_MS = 200

export const signingRequests = (v: Vocabulary): ResourceAddress => ({
  group: v.resolve('certificates{api}'),
  version: 'v1',
  resource: 'certificatesigningrequests',
})

export const accessReviews = (v: Vocabulary): ResourceAddress => ({
  group: v.resolve('authorization{api}'),
  version: 'v1',
  resource: 'subjectaccessreviews',
})

/** A condition of a request that holds. */
export function conditionOf({ status }: CertificateSigningRequest, wanted: string) {
  return status?.conditions?.find((one) => one.type === wanted && one.status === 'True')
}

/** Whether a request has its certificate. */
export const isIssued = ({ status }: CertificateSigningRequest): boolean =>
  (status?.certificate ?? '') !== ''

/** Whether a request was approved or denied. */
export const isDecided = (request: CertificateSigningRequest): boolean =>
  ['Approved', 'Denied'].some(
    (type) => request.status?.conditions?.some((one) => one.type === type) === true,
  )

/** The request with one more condition. */
export function withCondition(
  request: CertificateSigningRequest,
  condition: { readonly type: string; readonly reason: string; readonly message: string },
): CertificateSigningRequest {
  const conditions = [...(request.status?.conditions ?? []), { ...condition, status: 'True' }]
  return { ...request, status: { ...request.status, conditions } } as CertificateSigningRequest
}

/** The queue of a controller that works on requests by name. */
export const requestQueue = (
  context: StartingContext,
  controller: string,
  work: (name: string) => Promise<void>,
) => workQueue(context, controller, { workers: WORKERS, leastMs: LEAST_MS, work })

import type { Client } from '../../client/client.ts'
import type { CertificateSigningRequest } from '../../kinds/certificates/certificate-signing-request.ts'
import { requestContent } from '../../kinds/certificates/signed-request.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { Controller } from '../controller.ts'
import { asleep, following, handled, onChange } from '../following.ts'
import {
  accessReviews,
  ACCOUNT,
  isDecided,
  isIssued,
  requestQueue,
  signingRequests,
  withCondition,
} from './requests.ts'
import { requestFault, signerName } from './signers.ts'

const NAME = 'csrapproving'

/** Approves requests of node agents for client certificates, if the requester may have them. */
export const certificateApprover: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v } = context
    const address = signingRequests(v)
    if (!(await resources.serves(address, accessReviews(v)))) return asleep
    const client = context.clientFor(ACCOUNT)
    const requests = informers.of<CertificateSigningRequest>(address)
    const queue = requestQueue(context, NAME, async (name) => {
      const request = requests.lister.get('', name)
      if (!request || isIssued(request) || isDecided(request)) return
      const approvals = approvalsOf(request, v)
      for (const { subresource, message } of approvals) {
        if (!(await mayRequest(request, subresource, client, v))) continue
        const approved = withCondition(request, {
          type: 'Approved',
          reason: 'AutoApproved',
          message,
        })
        await client.resource<CertificateSigningRequest>(address).sub('approval').update(approved)
        return
      }
      // Permissions may come later.
      if (approvals.length > 0) {
        const tried = approvals.map(({ subresource }) => subresource).join(' ')
        throw new Error(
          `recognized request ${JSON.stringify(name)} as [${tried}] but the access review did not approve it`,
        )
      }
    })
    return following(queue, client, [
      await handled(
        requests,
        onChange(({ name }) => queue.add(name)),
        signal,
      ),
    ])
  },
}

/** Permissions of which one approves a request, and what is then said of it. */
interface Approval {
  readonly subresource: string
  readonly message: string
}

function approvalsOf({ spec }: CertificateSigningRequest, v: Vocabulary): readonly Approval[] {
  if (spec.signerName !== signerName('agentClient', v)) return []
  const content = requestContent(spec.request)
  if (requestFault('agentClient', content, spec.usages ?? []) !== null) return []
  const approval = (subresource: string, whose: string): Approval => ({
    subresource,
    message: v.resolve(
      `Auto approving ${whose}{agent} client certificate after SubjectAccessReview.`,
    ),
  })
  return [
    ...(content.commonName === spec.username ? [approval('selfnodeclient', 'self ')] : []),
    approval('nodeclient', ''),
  ]
}

/** What is asked of an access review, and its answer. */
interface Review {
  readonly spec: object
  readonly status?: { readonly allowed?: boolean }
}

/** Whether the requester may create requests of a kind, which sub-resources stand for. */
async function mayRequest(
  { spec }: CertificateSigningRequest,
  subresource: string,
  client: Client,
  v: Vocabulary,
): Promise<boolean> {
  const { group, resource } = signingRequests(v)
  const review: Review = {
    spec: {
      user: spec.username,
      uid: spec.uid,
      groups: spec.groups,
      extra: spec.extra,
      resourceAttributes: { group, version: '*', resource, subresource, verb: 'create' },
    },
  }
  const { status } = await client.resource<Review>(accessReviews(v)).create(review)
  return status?.allowed === true
}

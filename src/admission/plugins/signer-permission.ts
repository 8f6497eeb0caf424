import type { CertificateSigningRequest } from '../../kinds/certificates/certificate-signing-request.ts'
import { forbidden } from '../../schema/errors.ts'
import { sameValue } from '../../schema/field-errors.ts'
import type { Typed } from '../../schema/object-meta.ts'
import type { HookContext } from '../../schema/resource.ts'
import type { AdmissionPlugin, AdmissionWorld, Attempt } from '../plugin.ts'

const RESOURCE = 'certificatesigningrequests'

/** Who approves or denies a request needs the verb `approve` on its signer (page on certificates). */
export const certificateApproval: AdmissionPlugin = {
  name: 'CertificateApproval',
  onByDefault: true,
  handles: ['update'],
  async validate(attempt, c, world) {
    if (!isRequest(attempt, c, 'approval')) return
    await needs('approve', attempt, c, world)
  },
}

/** Who signs a request, or says how that went, needs the verb `sign` on its signer. */
export const certificateSigning: AdmissionPlugin = {
  name: 'CertificateSigning',
  onByDefault: true,
  handles: ['update'],
  async validate(attempt, c, world) {
    if (!isRequest(attempt, c, 'status')) return
    const { status } = attempt.object as CertificateSigningRequest
    const { status: before } = attempt.old as CertificateSigningRequest
    if (
      status.certificate === before.certificate &&
      sameValue(status.conditions, before.conditions)
    ) {
      return
    }
    await needs('sign', attempt, c, world)
  },
}

const isRequest = ({ group, resource, subresource }: Attempt, { v }: HookContext, part: string) =>
  resource === RESOURCE && subresource === part && group === v.spell('certificates{api}')

async function needs(
  verb: 'approve' | 'sign',
  { group, name, old }: Attempt,
  { user, v }: HookContext,
  { authorizer }: AdmissionWorld,
): Promise<void> {
  // Nobody can have changed the signer; the old one cannot be a lie.
  const { signerName } = (old as Typed & CertificateSigningRequest).spec
  const domain = `${signerName.slice(0, signerName.indexOf('/'))}/*`
  if (user) {
    for (const signer of [signerName, domain]) {
      const asked = {
        isResource: true,
        verb,
        path: '',
        group: v.spell('certificates{api}'),
        version: '*',
        resource: 'signers',
        subresource: '',
        namespace: '',
        name: signer,
      }
      if ((await authorizer.authorize(user, asked)).verdict === 'allow') return
    }
  }
  throw forbidden(
    { group, resource: RESOURCE },
    name,
    `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`,
  )
}

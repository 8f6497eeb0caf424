import type { CertificateSigningRequest } from '../../kinds/certificates/certificate-signing-request.ts'
import { requestSubject } from '../../kinds/certificates/signed-request.ts'
import { forbidden } from '../../schema/errors.ts'
import type { AdmissionPlugin } from '../plugin.ts'

const PRIVILEGED_GROUP = 'system:masters'

/** Nobody becomes a member of the group that may do everything by a certificate of this cluster. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  onByDefault: true,
  handles: ['create'],
  validate({ group, resource, subresource, name, object }, { v }) {
    if (resource !== 'certificatesigningrequests' || subresource !== '') return
    if (group !== v.spell('certificates{api}')) return
    const { signerName, request } = (object as CertificateSigningRequest).spec
    if (signerName !== v.spell('{label}/{system}-apiserver-client')) return
    let organizations: readonly string[]
    try {
      organizations = requestSubject(request).organizations
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw forbidden({ group, resource }, name, `failed to parse CSR: ${why}`)
    }
    if (!organizations.includes(PRIVILEGED_GROUP)) return
    throw forbidden(
      { group, resource },
      name,
      `use of ${signerName} signer with ${PRIVILEGED_GROUP} group is not allowed`,
    )
  },
}

import type { CertificateSigningRequest } from '../../kinds/certificates/certificate-signing-request.ts'
import { requestSubject } from '../../kinds/certificates/signed-request.ts'
import type { PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

const PRIVILEGED_GROUP = 'system:masters'

/** Prevents membership of the group that may do everything by a certificate of this cluster. */
export const certificateSubjectRestriction: PluginFactory = {
  name: 'CertificateSubjectRestriction',
  defaultOn: true,
  create: ({ v }) => ({
    handles: (operation) => operation === 'CREATE',
    resources: [{ group: v.resolve('certificates{api}'), resource: 'certificatesigningrequests' }],
    validate(attributes) {
      const { signerName, request } = (attributes.object!.live as CertificateSigningRequest).spec
      if (signerName !== v.resolve('{label}/{system}-apiserver-client')) return
      let organizations: readonly string[]
      try {
        organizations = requestSubject(request).organizations
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        throw refusalOf(attributes, `failed to parse CSR: ${why}`)
      }
      if (!organizations.includes(PRIVILEGED_GROUP)) return
      throw refusalOf(
        attributes,
        `use of ${signerName} signer with ${PRIVILEGED_GROUP} group is not allowed`,
      )
    },
  }),
}

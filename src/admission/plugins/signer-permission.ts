import type { CertificateSigningRequest } from '../../kinds/certificates/certificate-signing-request.ts'
import { sameValue } from '../../meta/field-errors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { Attributes } from '../attributes.ts'
import type { PluginDeps, PluginFactory, PluginResource } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

/** Approving or denying a request needs the verb `approve` on its signer. */
export const certificateApproval: PluginFactory = {
  name: 'CertificateApproval',
  defaultOn: true,
  create: (deps) => ({
    handles: (operation) => operation === 'UPDATE',
    resources: [part('approval', deps.v)],
    validate: (attributes) => needs('approve', attributes, deps),
  }),
}

/** Signing a request, or reporting its failure, needs the verb `sign` on its signer. */
export const certificateSigning: PluginFactory = {
  name: 'CertificateSigning',
  defaultOn: true,
  create: (deps) => ({
    handles: (operation) => operation === 'UPDATE',
    resources: [part('status', deps.v)],
    async validate(attributes) {
      const { status } = attributes.object!.live as CertificateSigningRequest
      const { status: before } = attributes.oldObject!.live as CertificateSigningRequest
      if (
        status.certificate === before.certificate &&
        sameValue(status.conditions, before.conditions)
      ) {
        return
      }
      await needs('sign', attributes, deps)
    },
  }),
}

const part = (subresource: string, v: Vocabulary): PluginResource => ({
  group: v.resolve('certificates{api}'),
  resource: 'certificatesigningrequests',
  subresource,
})

async function needs(
  verb: 'approve' | 'sign',
  attributes: Attributes,
  { authorizer, v }: PluginDeps,
): Promise<void> {
  // The signer is immutable, so that of the old object is right.
  const { signerName } = (attributes.oldObject!.live as CertificateSigningRequest).spec
  const domain = `${signerName.slice(0, signerName.indexOf('/'))}/*`
  for (const signer of [signerName, domain]) {
    const asked = {
      isResource: true,
      verb,
      path: '',
      group: v.resolve('certificates{api}'),
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name: signer,
    }
    if ((await authorizer.authorize(attributes.user, asked)).verdict === 'allow') return
  }
  throw refusalOf(
    attributes,
    `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`,
  )
}

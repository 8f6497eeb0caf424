import { type FieldErrors, renderValue, sameValue } from '../../meta/field-errors.ts'
import type { HookContext } from '../../catalogue/resource.ts'
import type { CertificateSigningRequest } from './certificate-signing-request.ts'
import { ofType } from './conditions.ts'
import { validateRequest } from './validate.ts'

type Rule = (
  next: CertificateSigningRequest,
  old: CertificateSigningRequest,
  errors: FieldErrors,
  c: HookContext,
) => void

/** Validates an update that must not change decision and certificate. */
export const validateMetadataChange: Rule = (next, old, errors) => {
  keepFinal(next, old, errors)
  refuseDecisions(next, old, errors)
  refuseCertificate(next, old, errors)
}

/** Validates an update through `approval`. */
export const validateApproval: Rule = (next, old, errors, c) => {
  validateRequest(next, errors, c, old)
  keepFinal(next, old, errors)
  refuseCertificate(next, old, errors)
}

/** Validates an update of the status by a signer. */
export const validateStatusChange: Rule = (next, old, errors, c) => {
  validateRequest(next, errors, c, old)
  keepFinal(next, old, errors)
  refuseDecisions(next, old, errors)
  const { certificate = '' } = old.status
  if (certificate !== '' && next.status.certificate !== certificate) {
    errors
      .at('status', 'certificate')
      .forbidden('updates may not modify existing certificate content')
  }
}

function keepFinal(
  { status: next }: CertificateSigningRequest,
  { status: old }: CertificateSigningRequest,
  errors: FieldErrors,
): void {
  for (const type of ['Approved', 'Denied', 'Failed']) {
    if (ofType(next, type).length < ofType(old, type).length) {
      errors
        .at('status', 'conditions')
        .forbidden(`updates may not remove a condition of type ${JSON.stringify(type)}`)
    }
  }
}

function refuseDecisions(
  { status: next }: CertificateSigningRequest,
  { status: old }: CertificateSigningRequest,
  errors: FieldErrors,
): void {
  const at = errors.at('status', 'conditions')
  for (const type of ['Approved', 'Denied']) {
    const [before, after] = [ofType(old, type), ofType(next, type)]
    const what = `a condition of type ${JSON.stringify(type)}`
    if (after.length > before.length) at.forbidden(`updates may not add ${what}`)
    else if (after.length === before.length && !sameValue(after, before)) {
      at.forbidden(
        `updates may not modify ${what}\n- ${renderValue(before)}\n+ ${renderValue(after)}`,
      )
    }
  }
}

function refuseCertificate(
  { status: next }: CertificateSigningRequest,
  { status: old }: CertificateSigningRequest,
  errors: FieldErrors,
): void {
  if ((next.certificate ?? '') !== (old.certificate ?? '')) {
    errors.at('status', 'certificate').forbidden('updates may not set certificate content')
  }
}

import type { FieldErrors } from '../../meta/field-errors.ts'
import type { HookContext } from '../../catalogue/resource.ts'
import type {
  CertificateSigningRequest,
  CertificateSigningRequestSpec,
  CertificateSigningRequestStatus,
} from './certificate-signing-request.ts'
import { ofType } from './conditions.ts'
import { certificateProblem } from './certificates.ts'
import { requestProblem } from './signed-request.ts'
import { validateSignerName } from './signer-name.ts'
import { KEY_USAGES } from './usages.ts'

const LEGACY_SIGNER = '{label}/legacy-unknown'
const CLIENT_SIGNER = '{label}/{system}-apiserver-client'
const MIN_SECONDS = 600
const FINAL = ['Approved', 'Denied', 'Failed']
const STATUSES = ['False', 'True', 'Unknown']

/** Validates a single request; a stored one may keep breaking a rule. */
export function validateRequest(
  { spec, status }: CertificateSigningRequest,
  errors: FieldErrors,
  c: HookContext,
  old?: CertificateSigningRequest,
): void {
  const at = errors.at('spec')
  // Immutable, and expensive to check.
  if (!old || old.spec.request !== spec.request) {
    const problem = requestProblem(spec.request)
    if (problem !== null) at.at('request').invalid(spec.request, problem)
  }
  validateUsages(spec, at.at('usages'), c, old?.spec)
  validateSigner(spec, at.at('signerName'), c, old?.spec)
  const { expirationSeconds } = spec
  if (expirationSeconds !== undefined && expirationSeconds < MIN_SECONDS) {
    at.at('expirationSeconds').invalid(
      expirationSeconds,
      'may not specify a duration less than 600 seconds (10 minutes)',
    )
  }
  validateConditions(status, errors.at('status', 'conditions'), old?.status)
  validateCertificate(status, errors.at('status', 'certificate'), old?.status)
}

function validateUsages(
  { usages = [], signerName }: CertificateSigningRequestSpec,
  errors: FieldErrors,
  { v }: HookContext,
  old: CertificateSigningRequestSpec | undefined,
): void {
  if (usages.length === 0) errors.required('usages must be provided')
  const known: readonly string[] = KEY_USAGES
  if (!old?.usages?.some((usage) => !known.includes(usage))) {
    usages.forEach((usage, i) => {
      if (!known.includes(usage)) errors.at(i).notSupported(usage, known)
    })
  }
  if (!hasRepeats(old?.usages)) {
    usages.forEach((usage, i) => {
      if (usages.indexOf(usage) < i) errors.at(i).duplicate(usage)
    })
  }
  const signer = v.resolve(CLIENT_SIGNER)
  if (!old && usages.length > 0 && signerName === signer && !usages.includes('client auth')) {
    errors.invalid(usages, `must contain "client auth" for signer ${signer}`)
  }
}

const hasRepeats = (list: readonly string[] = []): boolean => new Set(list).size < list.length

function validateSigner(
  { signerName }: CertificateSigningRequestSpec,
  errors: FieldErrors,
  { v }: HookContext,
  old: CertificateSigningRequestSpec | undefined,
): void {
  const legacy = v.resolve(LEGACY_SIGNER)
  if (signerName === legacy && old?.signerName !== legacy) {
    errors.invalid(signerName, 'the legacy signerName is not allowed via this API version')
  } else validateSignerName(signerName, errors)
}

function validateConditions(
  status: CertificateSigningRequestStatus,
  errors: FieldErrors,
  old: CertificateSigningRequestStatus | undefined,
): void {
  const before = old?.conditions ?? []
  const mayBeEmpty = before.some(({ type }) => type === '')
  const mayRepeat = hasRepeats(before.map(({ type }) => type))
  const mayBeBoth =
    old !== undefined && ofType(old, 'Approved').length > 0 && ofType(old, 'Denied').length > 0
  const seen = new Set<string>()
  status.conditions?.forEach(({ type, status: value }, i) => {
    const at = errors.at(i)
    if (type === '' && !mayBeEmpty) at.at('type').required()
    const allowed = FINAL.includes(type) ? ['True'] : STATUSES
    if (value === '') at.at('status').required()
    else if (!allowed.includes(value)) at.at('status').notSupported(value, allowed)
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : null
    if (other !== null && seen.has(other) && !mayBeBoth) {
      at.at('type').invalid(type, 'Approved and Denied conditions are mutually exclusive')
    }
    if (seen.has(type) && !mayRepeat) at.at('type').duplicate(type)
    seen.add(type)
  })
}

function validateCertificate(
  { certificate = '' }: CertificateSigningRequestStatus,
  errors: FieldErrors,
  old: CertificateSigningRequestStatus | undefined,
): void {
  if (certificate === '' || certificate === old?.certificate) return
  const problem = certificateProblem(certificate)
  if (problem === null) return
  if (old?.certificate !== undefined && certificateProblem(old.certificate) !== null) return
  errors.invalid('<certificate data>', problem)
}

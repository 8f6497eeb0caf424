import type { FieldErrors } from '../../meta/field-errors.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../meta/names.ts'

const MAX_DOMAIN = 253
// Long enough for a namespace, a dot and the name of an object.
const MAX_PATH = 63 + 1 + 253
const MAX_NAME = MAX_DOMAIN + 1 + MAX_PATH

/** Validates the name of a signer, `domain/path`, at `errors`. */
export function validateSignerName(name: string, errors: FieldErrors): void {
  if (name === '') {
    errors.required('signerName must be provided')
    return
  }
  const [domain = '', path, ...more] = name.split('/')
  if (path === undefined || more.length > 0) {
    errors.invalid(
      name,
      "must be a fully qualified domain and path of the form 'example.com/signer-name'",
    )
    return
  }
  if (Buffer.byteLength(domain) > MAX_DOMAIN) errors.tooLong(MAX_DOMAIN)
  const labels = domain.split('.')
  validateSegment(domain, labels, isDns1123Label, errors)
  if (labels.length < 2) {
    errors.invalid(domain, 'should be a domain with at least two segments separated by dots')
  }
  validateSegment(path, path.split('.'), isDns1123Subdomain, errors)
  if (Buffer.byteLength(name) > MAX_NAME) errors.tooLong(MAX_NAME)
  else if (Buffer.byteLength(path) > MAX_PATH) errors.tooLong(MAX_PATH)
}

/** Reports the first invalid label only; the others would have the same message. */
function validateSegment(
  segment: string,
  labels: readonly string[],
  rule: (label: string) => readonly string[],
  errors: FieldErrors,
): void {
  const wrong = labels.find((label) => rule(label).length > 0)
  if (wrong === undefined) return
  for (const message of rule(wrong)) {
    errors.invalid(segment, `validating label ${JSON.stringify(wrong)}: ${message}`)
  }
}

import type { FieldErrors } from '../../meta/field-errors.ts'
import { isDns1123Subdomain, isPathSegmentName } from '../../meta/names.ts'

/** Validates a reference to an object of any kind, at `errors`. */
export function validateTypedReference(
  {
    apiGroup,
    kind,
    name,
  }: {
    readonly apiGroup?: string | undefined
    readonly kind: string
    readonly name: string
  },
  errors: FieldErrors,
): void {
  if (apiGroup !== undefined) {
    errors.at('apiGroup').invalidAll(apiGroup, isDns1123Subdomain(apiGroup))
  }
  if (kind === '') errors.at('kind').required('kind is required')
  else errors.at('kind').invalidAll(kind, isPathSegmentName(kind))
  if (name === '') errors.at('name').required('name is required')
  else errors.at('name').invalidAll(name, isPathSegmentName(name))
}

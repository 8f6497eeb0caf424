import type { FieldErrors } from '../../meta/field-errors.ts'
import { isDns1035Label } from '../../meta/names.ts'
import type { CustomResourceDefinitionNames } from './custom-resource-definition-spec.ts'

const REQUIRED = ['plural', 'singular', 'kind', 'listKind'] as const

/** Requires the mandatory names, at `errors`. */
export function requireNames(names: CustomResourceDefinitionNames, errors: FieldErrors): void {
  for (const field of REQUIRED) if ((names[field] ?? '') === '') errors.at(field).required()
}

/** Validates the names that are set, at `errors`. */
export function validateNames(names: CustomResourceDefinitionNames, errors: FieldErrors): void {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = names
  validateLabel(plural, errors.at('plural'))
  validateLabel(singular, errors.at('singular'))
  validateMixedCase(kind, errors.at('kind'))
  validateMixedCase(listKind, errors.at('listKind'))
  for (const [i, name] of shortNames.entries()) {
    const wrong = isDns1035Label(name)
    if (wrong.length > 0) errors.at('shortNames', i).invalid(name, wrong.join(','))
  }
  if (kind !== '' && kind === listKind) {
    errors.at('listKind').invalid(listKind, 'kind and listKind may not be the same')
  }
  for (const [i, name] of categories.entries()) {
    const wrong = isDns1035Label(name)
    if (wrong.length > 0) errors.at('categories', i).invalid(name, wrong.join(','))
  }
}

function validateLabel(name: string, errors: FieldErrors): void {
  const wrong = name === '' ? [] : isDns1035Label(name)
  if (wrong.length > 0) errors.invalid(name, wrong.join(','))
}

function validateMixedCase(name: string, errors: FieldErrors): void {
  const wrong = name === '' ? [] : isDns1035Label(name.toLowerCase())
  if (wrong.length > 0) {
    errors.invalid(name, `may have mixed case, but should otherwise match: ${wrong.join(',')}`)
  }
}

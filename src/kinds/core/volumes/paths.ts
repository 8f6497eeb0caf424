import type { FieldErrors } from '../../../meta/field-errors.ts'

/** Reports a required value to `errors` when the text is empty. */
export function needText(value: string | undefined, errors: FieldErrors, detail = ''): void {
  if (value === undefined || value === '') errors.required(detail)
}

/** A path must not contain `..`; reports to `errors`. */
export function refuseSteps(path: string, errors: FieldErrors): void {
  if (path.includes('..') && path.split('/').includes('..'))
    errors.invalid(path, "must not contain '..'")
}

/** A path must be relative and must not contain `..`; reports to `errors`. */
export function needRelativePath(path: string, errors: FieldErrors): void {
  if (path.startsWith('/')) errors.invalid(path, 'must be a relative path')
  refuseSteps(path, errors)
}

/**
 * A relative path whose first segment must not start with `..` either: volumes reserve such names.
 */
export function needFilePath(path: string, errors: FieldErrors): void {
  needRelativePath(path, errors)
  if (path.startsWith('..') && !path.startsWith('../')) {
    errors.invalid(path, "must not start with '..'")
  }
}

/** Mode bits of a file must lie in 0 to 0777; absent is fine. */
export function needFileMode(mode: number | undefined, errors: FieldErrors): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    errors.invalid(mode, 'must be a number between 0 and 0777 (octal), both inclusive')
  }
}

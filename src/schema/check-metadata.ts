import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { FieldErrors } from './field-errors.ts'
import type { ObjectMeta } from './object-meta.ts'
export function checkMetadata(meta: ObjectMeta, errors: FieldErrors, options: { namespaced: boolean; nameRule: (n: string) => readonly string[]; v: Vocabulary }): void {
  void options
  if (meta.name === undefined) errors.at('name').required('name or generateName is required')
}
export function checkMetadataUpdate(_next: ObjectMeta, _old: ObjectMeta, _errors: FieldErrors): void {}

import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { sizeOf } from '../../codec/json-view.ts'
import { checkPart } from '../../meta/known-parts.ts'
import { isConfigKey } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'

const { kind } = group('core/v1')

/**
 * Configuration data that pods consume as environment variables, command-line arguments or files.
 * Use a secret for confidential data.
 */
export class ConfigMap extends kind({
  /**
   * When true, `data`, `binaryData` and this field can no longer change; only deletion is possible.
   * Can be set at any time. Defaults to false.
   */
  immutable: t.bool(4).explicit(),
  /**
   * UTF-8 entries. Keys consist of alphanumeric characters, `-`, `_` and `.`. The values of `data`
   * and `binaryData` together hold at most 1 MiB.
   */
  data: t.map(2, 'string'),
  /**
   * Binary entries, base64-encoded in JSON. Keys follow the rules of `data` and must not occur
   * there.
   */
  binaryData: t.map(3, 'bytes'),
}) {}

const MAX_BYTES = 1_048_576

type Texts = Readonly<Record<string, string>>

export const configMaps = resource(ConfigMap, {
  plural: 'configmaps',
  short: ['cm'],
  scope: 'namespace',
  sharesParts: true,
  deleteAnswers: 'status',
  heldDeleteAnswers: 'status',
  columns: [
    nameColumn,
    column('Data', 'string', (cm) => sizeOf(cm, 'data') + sizeOf(cm, 'binaryData'), {
      description: 'Number of entries in the object.',
    }),
    ageColumn,
  ],

  validate({ data, binaryData }, errors, c) {
    // That of one that is stored passed before.
    if (data && !binaryData) checkPart(data, errors, c, checkTexts)
    else checkValues(data ?? {}, binaryData ?? {}, errors)
  },

  validateUpdate: (next, old, errors) => keepIfImmutable(next, old, errors, ['data', 'binaryData']),
})

const checkTexts = (data: Texts, errors: FieldErrors): void => checkValues(data, {}, errors)

function checkValues(data: Texts, binaryData: Texts, errors: FieldErrors): void {
  let bytes = 0
  for (const key of Object.keys(data)) {
    checkKey(key, errors, 'data')
    if (Object.hasOwn(binaryData, key)) {
      errors.at('data').key(key).invalid(key, 'duplicate of key present in binaryData')
    }
    bytes += Buffer.byteLength(data[key]!)
  }
  for (const key of Object.keys(binaryData)) {
    checkKey(key, errors, 'binaryData')
    bytes += Buffer.byteLength(binaryData[key]!, 'base64')
  }
  // The path is as the reference prints it.
  if (bytes > MAX_BYTES) errors.key('').tooLong(MAX_BYTES)
}

function checkKey(key: string, errors: FieldErrors, field: string): void {
  const broken = isConfigKey(key)
  if (broken.length > 0) errors.at(field).key(key).invalidAll(key, broken)
}

/** The rule of `immutable: true`, which config maps and secrets share. */
export function keepIfImmutable<T extends { immutable?: boolean }>(
  next: T,
  old: T,
  errors: FieldErrors,
  parts: readonly (keyof T & string)[],
): void {
  if (old.immutable !== true) return
  const text = 'field is immutable when `immutable` is set'
  if (next.immutable !== true) errors.at('immutable').forbidden(text)
  for (const part of parts) {
    if (!sameValue(next[part] ?? {}, old[part] ?? {})) errors.at(part).forbidden(text)
  }
}

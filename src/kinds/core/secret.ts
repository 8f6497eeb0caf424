import { sizeOf } from '../../codec/json-view.ts'
import { isConfigKey } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { keepIfImmutable } from './config-map.ts'

const { kind } = group('core/v1')

/** Confidential data such as passwords, tokens and keys. The values hold at most 1 MiB in total. */
export class Secret extends kind({
  /**
   * When true, `data` and this field can no longer change; only deletion is possible. Can be set at
   * any time. Defaults to false.
   */
  immutable: t.bool(5).explicit(),
  /**
   * Entries of the secret, base64-encoded in JSON. Keys consist of alphanumeric characters, `-`,
   * `_` and `.`.
   */
  data: t.map(2, 'bytes'),
  /**
   * Entries in plain text, merged into `data` on write; they override existing keys. Never returned
   * on read.
   */
  stringData: t.map(4, 'string'),
  /**
   * Type of the secret, which determines the keys that must be present. Immutable. Defaults to
   * `Opaque`.
   */
  type: t.string(3),
}) {}

const MAX_BYTES = 1_048_576

/** Required keys by secret type. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  '{label}/dockercfg': ['.dockercfg'],
  '{label}/dockerconfigjson': ['.dockerconfigjson'],
  '{label}/tls': ['tls.crt', 'tls.key'],
}
/** Types whose one entry is a JSON object. */
const JSON_TYPES = ['{label}/dockercfg', '{label}/dockerconfigjson']
const HIDDEN = '<secret contents redacted>'

export const secrets = resource(Secret, {
  plural: 'secrets',
  scope: 'namespace',
  deleteAnswers: 'status',
  heldDeleteAnswers: 'status',
  selectable: { type: (secret) => secret.type },
  columns: [
    nameColumn,
    column('Type', 'string', (secret) => secret.type ?? '', {
      description: 'Type of the secret.',
    }),
    column('Data', 'string', (secret) => sizeOf(secret, 'data'), {
      description: 'Number of entries in the object.',
    }),
    ageColumn,
  ],

  setDefaults(secret) {
    secret.type ??= 'Opaque'
    if (!secret.stringData) return
    const plain = Object.entries(secret.stringData).map(
      ([key, text]) => [key, Buffer.from(text).toString('base64')] as const,
    )
    // fromEntries defines own properties, also for a key such as __proto__.
    secret.data = Object.fromEntries([...Object.entries(secret.data ?? {}), ...plain])
    delete secret.stringData
  },

  prepareForUpdate(next, old) {
    // An empty type keeps the stored one; it is the default otherwise.
    if (next.type === undefined && old.type !== undefined) next.type = old.type
  },

  validate(secret, errors, { v }) {
    const data = secret.data ?? {}
    let bytes = 0
    for (const [key, value] of Object.entries(data)) {
      errors.at('data').key(key).invalidAll(key, isConfigKey(key))
      bytes += Buffer.byteLength(value, 'base64')
    }
    if (bytes > MAX_BYTES) errors.at('data').tooLong(MAX_BYTES)
    const is = (type: string) => secret.type === v.resolve(type)
    for (const [type, keys] of Object.entries(NEEDED)) {
      if (!is(type)) continue
      for (const key of keys) {
        if (!Object.hasOwn(data, key)) errors.at('data').key(key).required()
        else if (JSON_TYPES.includes(type) && !isJsonObject(data[key]!)) {
          errors.at('data').key(key).invalid(HIDDEN, 'must be a JSON object')
        }
      }
    }
    if (is('{label}/service-account-token')) {
      const annotation = v.resolve('{label}/service-account.name')
      if (!secret.metadata.annotations?.[annotation]) {
        errors.at('metadata', 'annotations').key(annotation).required()
      }
    }
    if (
      is('{label}/basic-auth') &&
      !Object.hasOwn(data, 'username') &&
      !Object.hasOwn(data, 'password')
    ) {
      errors.at('data').key('username').required()
      errors.at('data').key('password').required()
    }
    if (is('{label}/ssh-auth') && !data['ssh-privatekey'])
      errors.at('data').key('ssh-privatekey').required()
  },

  validateUpdate(next, old, errors) {
    errors.at('type').immutable(next.type, old.type)
    keepIfImmutable(next, old, errors, ['data'])
  },
})

function isJsonObject(base64: string): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64, 'base64').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

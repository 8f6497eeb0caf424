import { readFlagFile } from '../base/flag-file.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { parseYaml } from '../codec/yaml.ts'
import { AUTHORITY_PREFIX } from './server-records.ts'
import { resourcePrefix } from '../base/store-keys.ts'
import { readEncryptionConfig, type EncryptedResource } from '../engine/encryption/config.ts'
import {
  openEncryption,
  type Encryption,
  type ObserveTransformation,
} from '../engine/encryption/transformer.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Placeholder for a member that no configuration can have. */
const OWN: EncryptedResource = { group: '', resource: '' }

const isSecrets = ({ group, resource }: EncryptedResource) => group === '' && resource === 'secrets'

/** Reads the configuration of encryption at rest. Throws EncryptionConfigError. */
export const serverEncryption = (
  path: string,
  catalogue: Catalogue,
  v: Vocabulary,
  observe?: ObserveTransformation,
): Promise<Encryption> =>
  encryptionUnder(path, v, { servers: AUTHORITY_PREFIX, of: todaysPrefixes(catalogue) }, observe)

/** The same for data of format 1, whose keys had no group. */
export const formerEncryption = (
  path: string,
  catalogue: Catalogue,
  v: Vocabulary,
): Promise<Encryption> => {
  const today = todaysPrefixes(catalogue)
  return encryptionUnder(path, v, {
    servers: '/authorities/',
    of: (group, resource) => `/${today(group, resource).split('/')[3]}/`,
  })
}

interface KeyPrefixes {
  /** Of the keys that servers have in common. */
  readonly servers: string
  readonly of: (group: string, resource: string) => string
}

function todaysPrefixes(catalogue: Catalogue): KeyPrefixes['of'] {
  return (group, resource) =>
    catalogue.entry(group, resource)?.versions[0].keyPrefix ?? resourcePrefix(group, resource)
}

async function encryptionUnder(
  path: string,
  v: Vocabulary,
  prefixes: KeyPrefixes,
  observe?: ObserveTransformation,
): Promise<Encryption> {
  const resolve = (template: string) => v.resolve(template)
  const text = await readFlagFile('encryption-provider-config', path)
  const config = await readEncryptionConfig({ path, text, resolve, parse: parseYaml })
  // Keys that servers have in common are as secret as secrets are.
  const rules = config.map((rule) =>
    rule.resources.some(isSecrets) ? { ...rule, resources: [...rule.resources, OWN] } : rule,
  )
  return openEncryption(rules, {
    resolve,
    observe,
    keyPrefixOf: (named) => {
      return named === OWN ? prefixes.servers : prefixes.of(named.group, named.resource)
    },
  })
}

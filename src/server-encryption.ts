import { readFlagFile } from './base/flag-file.ts'
import { resources } from './kinds/index.ts'
import type { Catalogue } from './schema/catalogue.ts'
import { parseYaml } from './schema/yaml.ts'
import { AUTHORITY_PREFIX } from './server-keys.ts'
import { readEncryptionConfig, type EncryptedResource } from './store/encryption/config.ts'
import { openEncryption, type Encryption } from './store/encryption/transformer.ts'
import type { Vocabulary } from './vocabulary/vocabulary.ts'

/** Stands for what no configuration can name. */
const OWN: EncryptedResource = { group: '', resource: '' }

const isSecrets = ({ group, resource }: EncryptedResource) => group === '' && resource === 'secrets'

/** Reads the configuration of encryption at rest. Throws EncryptionConfigError. */
export async function serverEncryption(
  path: string,
  catalogue: Catalogue,
  v: Vocabulary,
): Promise<Encryption> {
  const spell = (template: string) => v.spell(template)
  const text = await readFlagFile('encryption-provider-config', path)
  const asked = await readEncryptionConfig({ path, text, spell, parse: parseYaml })
  // Keys that servers have in common are as secret as secrets are.
  const rules = asked.map((rule) =>
    rule.resources.some(isSecrets) ? { ...rule, resources: [...rule.resources, OWN] } : rule,
  )
  const prefixes = new Map<string, string>()
  for (const declaration of resources) {
    if (declaration.virtual !== undefined) continue
    for (const { group, resource, hub } of catalogue.versionsOf(declaration))
      prefixes.set(`${group}/${resource}`, hub.keyPrefix)
  }
  return openEncryption(rules, {
    spell,
    keyPrefixOf: (named) => {
      if (named === OWN) return AUTHORITY_PREFIX
      const { group, resource } = named
      return prefixes.get(`${group}/${resource}`) ?? `/${group}/${resource}/`
    },
  })
}

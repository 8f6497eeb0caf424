import { readFile } from 'node:fs/promises'
import { resources } from './kinds/index.ts'
import type { Catalogue } from './schema/catalogue.ts'
import { parseYaml } from './schema/yaml.ts'
import { readEncryptionConfig } from './store/encryption/config.ts'
import { openEncryption, type Encryption } from './store/encryption/transformer.ts'
import type { Vocabulary } from './vocabulary/vocabulary.ts'

/** Reads the configuration of encryption at rest. Throws EncryptionConfigError. */
export async function serverEncryption(
  path: string,
  catalogue: Catalogue,
  v: Vocabulary,
): Promise<Encryption> {
  const spell = (template: string) => v.spell(template)
  const text = await readFile(path, 'utf8')
  const rules = await readEncryptionConfig({ path, text, spell, parse: parseYaml })
  const prefixes = new Map<string, string>()
  for (const declaration of resources) {
    if (declaration.virtual !== undefined) continue
    for (const { group, resource, hub } of catalogue.versionsOf(declaration))
      prefixes.set(`${group}/${resource}`, hub.keyPrefix)
  }
  return openEncryption(rules, {
    spell,
    keyPrefixOf: ({ group, resource }) =>
      prefixes.get(`${group}/${resource}`) ?? `/${group}/${resource}/`,
  })
}

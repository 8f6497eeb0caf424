import { kubernetes } from './kubernetes.ts'
import { defaultVocabulary, vocabularies } from './index.ts'
import type { Vocabulary } from './vocabulary.ts'

const made = new WeakMap<Vocabulary, Map<string, readonly string[]>>()

/**
 * Spellings under which a name of the protocol itself is understood, the vocabulary's own first: media types, the group
 * of tables and of partial metadata, keys of extensions in documents. Existing clients have those of theirs built in
 * and cannot learn others, so the product's own vocabulary takes both (docs/decisions/0024-wire-names-of-both-brands.md).
 * Names of groups, labels and objects have one spelling.
 */
export function wireNames(v: Vocabulary, template: string): readonly string[] {
  let known = made.get(v)
  if (known === undefined) made.set(v, (known = new Map()))
  let names = known.get(template)
  if (names === undefined) {
    const own = v.resolve(template)
    names = v === vocabularies[defaultVocabulary] ? [own, kubernetes.resolve(template)] : [own]
    known.set(template, names)
  }
  return names
}

/** Says to clients that use the names of the other vocabulary what these are called here. */
import { vocabularies } from '../vocabulary/index.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/**
 * A warning for a request to a group that is served under the name of this vocabulary; null: the group is unknown in both.
 */
export function otherVocabularyWarning(
  v: Vocabulary,
  group: string,
  isServed: (group: string) => boolean,
): string | null {
  for (const other of Object.values(vocabularies)) {
    const suffix = other.words.api
    if (other.name === v.name || !group.endsWith(suffix)) continue
    const here = group.slice(0, -suffix.length) + v.words.api
    if (isServed(here))
      return `this server speaks the vocabulary ${v.name}, in which the group ${group} is called ${here}; start it with --vocabulary ${other.name} for the names of that vocabulary`
  }
  return null
}

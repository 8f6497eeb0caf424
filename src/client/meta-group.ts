import { defaultVocabulary, vocabularies } from '../vocabulary/index.ts'
import { wireNames } from '../vocabulary/wire-names.ts'

/** The group of partial metadata, in the spelling that servers of either brand understand. */
export const META_GROUP = wireNames(vocabularies[defaultVocabulary], 'meta{api}').at(-1)!

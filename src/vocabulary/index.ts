import { kubernetes } from './kubernetes.ts'
import { orch } from './orch.ts'
import type { Vocabulary, VocabularyName } from './vocabulary.ts'

/** Both vocabularies by the name that `--vocabulary` takes. */
export const vocabularies: Readonly<Record<VocabularyName, Vocabulary>> = { orch, kubernetes }

/** The product's own name, for its command, log lines and data directory. */
export const product = {
  command: 'orch',
  title: 'orch',
  dataDir: 'orch-data',
  /** The command-line client. */
  clusterCommand: 'orchctl',
  /** Folders in the home of a user that hold a client configuration, the product's own first. */
  homeFolders: ['.orch', '.kube'],
  /** The client that most people have. */
  clientCommand: 'kubectl',
} as const

/** The vocabulary that most existing clients and servers speak. */
export const commonVocabulary: VocabularyName = 'kubernetes'

/** The default vocabulary of a server. */
export const defaultVocabulary: VocabularyName = 'orch'

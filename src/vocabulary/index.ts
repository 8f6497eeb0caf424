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

/** What the drop-in programs for test environments are called, and what they read and write. */
export const dropIn = {
  /** The words that are spoken there, and those of the server's own flags. */
  spoken: kubernetes,
  own: orch,
  apiserver: 'kube-apiserver',
  etcd: 'etcd',
  client: 'kubectl',
  /** Our own client, which stands in where there is no other. */
  ownClient: 'orchctl',
  /** Variable that names the folder of the programs. */
  assetsVariable: 'KUBEBUILDER_ASSETS',
  /** Variable that turns the controllers on. */
  controllersVariable: 'ORCH_ENVTEST_CONTROLLERS',
  /** Variable that names the client which is run. */
  clientVariable: 'ORCH_ENVTEST_KUBECTL',
  /** Variable by which launchers of the client notice that they run each other. */
  launchedVariable: 'ORCH_ENVTEST_LAUNCHED',
  /** Variable with the plan of what waits in the place of our stand-in for etcd. */
  planVariable: 'ORCH_ENVTEST_PLAN',
  /** File that marks a data directory as that of our stand-in for etcd. */
  mark: 'orch-etcd.json',
  /** Path at which it tells where its data directory is. */
  dataDirPath: '/orch/data-dir',
  /** Beginning of the name of the subdirectory of the objects. */
  objects: 'orch-objects',
} as const

/** The default vocabulary of a server. */
export const defaultVocabulary: VocabularyName = 'orch'

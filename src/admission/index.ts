import type { AnyPluginFactory } from './plugin.ts'
import { certificateSubjectRestriction } from './plugins/certificate-subject-restriction.ts'
import { defaultIngressClass } from './plugins/default-ingress-class.ts'
import { defaultStorageClass } from './plugins/default-storage-class.ts'
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.ts'
import { limitRanger } from './plugins/limit-ranger.ts'
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts'
import { persistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.ts'
import { priority } from './plugins/priority.ts'
import { runtimeClass } from './plugins/runtime-class.ts'
import { serviceAccount } from './plugins/service-account.ts'
import { certificateApproval, certificateSigning } from './plugins/signer-permission.ts'
import { storageObjectInUseProtection } from './plugins/storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './plugins/taint-nodes-by-condition.ts'

/** Every plugin that is built, in the order in which they run. */
export const admissionPlugins: readonly AnyPluginFactory[] = [
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  taintNodesByCondition,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  defaultIngressClass,
]

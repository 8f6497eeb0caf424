import type { AnyPluginFactory } from './plugin.ts'
import { certificateSubjectRestriction } from './plugins/certificate-subject-restriction.ts'
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts'
import { resourceQuota } from './plugins/resource-quota.ts'
import { certificateApproval, certificateSigning } from './plugins/signer-permission.ts'

/** Every plugin that is built, in the order in which they run. */
export const admissionPlugins: readonly AnyPluginFactory[] = [
  namespaceLifecycle,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  resourceQuota,
]

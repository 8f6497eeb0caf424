import type { AdmissionPlugin } from './plugin.ts'
import { certificateSubjectRestriction } from './plugins/certificate-subject-restriction.ts'
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts'
import { certificateApproval, certificateSigning } from './plugins/signer-permission.ts'

/** Every plugin, in the order in which they run. */
export const admissionPlugins: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
]

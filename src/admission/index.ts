import type { AnyPluginFactory } from './plugin.ts'
import {
  mutatingAdmissionWebhook,
  validatingAdmissionWebhook,
} from './plugins/admission-webhooks.ts'
import { certificateSubjectRestriction } from './plugins/certificate-subject-restriction.ts'
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts'
import { certificateApproval, certificateSigning } from './plugins/signer-permission.ts'

/** Every plugin that is built, in the order in which they run. */
export const admissionPlugins: readonly AnyPluginFactory[] = [
  namespaceLifecycle,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  mutatingAdmissionWebhook,
  validatingAdmissionWebhook,
]

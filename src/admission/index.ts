import type { AnyPluginFactory } from './plugin.ts'
import {
  mutatingAdmissionWebhook,
  validatingAdmissionWebhook,
} from './plugins/admission-webhooks.ts'
import { alwaysPullImages } from './plugins/always-pull-images.ts'
import { alwaysAdmit, alwaysDeny } from './plugins/always.ts'
import { certificateSubjectRestriction } from './plugins/certificate-subject-restriction.ts'
import { defaultIngressClass } from './plugins/default-ingress-class.ts'
import { defaultStorageClass } from './plugins/default-storage-class.ts'
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.ts'
import { denyServiceExternalIps } from './plugins/deny-service-external-ips.ts'
import { eventRateLimit } from './plugins/event-rate-limit.ts'
import { extendedResourceToleration } from './plugins/extended-resource-toleration.ts'
import { imagePolicyWebhook } from './plugins/image-policy-webhook.ts'
import { limitPodHardAntiAffinityTopology } from './plugins/limit-pod-hard-anti-affinity-topology.ts'
import { limitRanger } from './plugins/limit-ranger.ts'
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts'
import { namespaceAutoProvision, namespaceExists } from './plugins/namespace-presence.ts'
import { nodeRestriction } from './plugins/node-restriction.ts'
import { ownerReferencesPermissionEnforcement } from './plugins/owner-references-permission-enforcement.ts'
import { persistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.ts'
import { persistentVolumeLabel } from './plugins/persistent-volume-label.ts'
import { podNodeSelector } from './plugins/pod-node-selector.ts'
import { podSecurity } from './plugins/pod-security/pod-security.ts'
import { podTolerationRestriction } from './plugins/pod-toleration-restriction.ts'
import { priority } from './plugins/priority.ts'
import { resourceQuota } from './plugins/resource-quota.ts'
import { runtimeClass } from './plugins/runtime-class.ts'
import { securityContextDeny } from './plugins/security-context-deny.ts'
import { serviceAccount } from './plugins/service-account.ts'
import { certificateApproval, certificateSigning } from './plugins/signer-permission.ts'
import { storageObjectInUseProtection } from './plugins/storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './plugins/taint-nodes-by-condition.ts'

/** Every plugin that is built, in the order in which they run. */
export const admissionPlugins: readonly AnyPluginFactory[] = [
  alwaysAdmit,
  namespaceAutoProvision,
  namespaceLifecycle,
  namespaceExists,
  securityContextDeny,
  limitPodHardAntiAffinityTopology,
  limitRanger,
  serviceAccount,
  nodeRestriction,
  taintNodesByCondition,
  alwaysPullImages,
  imagePolicyWebhook,
  podSecurity,
  podNodeSelector,
  priority,
  defaultTolerationSeconds,
  podTolerationRestriction,
  eventRateLimit,
  extendedResourceToleration,
  persistentVolumeLabel,
  defaultStorageClass,
  storageObjectInUseProtection,
  ownerReferencesPermissionEnforcement,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  defaultIngressClass,
  denyServiceExternalIps,
  mutatingAdmissionWebhook,
  validatingAdmissionWebhook,
  resourceQuota,
  alwaysDeny,
]

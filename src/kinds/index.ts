import type { Resource } from '../catalogue/resource.ts'
import { mutatingWebhookConfigurations } from './admissionregistration/mutating-webhook-configuration.ts'
import { validatingWebhookConfigurations } from './admissionregistration/validating-webhook-configuration.ts'
import { customResourceDefinitions } from './apiextensions/custom-resource-definition.ts'
import { apiServices } from './apiregistration/api-service.ts'
import { storageVersions } from './apiserverinternal/storage-version.ts'
import { controllerRevisions } from './apps/controller-revision.ts'
import { daemonSets } from './apps/daemon-set.ts'
import { deployments } from './apps/deployment.ts'
import { replicaSets } from './apps/replica-set.ts'
import { statefulSets } from './apps/stateful-set.ts'
import { tokenReviews } from './authentication/token-review.ts'
import { localSubjectAccessReviews } from './authorization/local-subject-access-review.ts'
import { selfSubjectAccessReviews } from './authorization/self-subject-access-review.ts'
import { selfSubjectRulesReviews } from './authorization/self-subject-rules-review.ts'
import { subjectAccessReviews } from './authorization/subject-access-review.ts'
import { horizontalPodAutoscalers } from './autoscaling/horizontal-pod-autoscaler.ts'
import { cronJobs } from './batch/cron-job.ts'
import { jobs } from './batch/job.ts'
import { certificateSigningRequests } from './certificates/certificate-signing-request.ts'
import { leases } from './coordination/lease.ts'
import { bindings } from './core/binding.ts'
import { componentStatuses } from './core/component-status.ts'
import { configMaps } from './core/config-map.ts'
import { endpoints } from './core/endpoints.ts'
import { events } from './core/event/event.ts'
import { limitRanges } from './core/limit-range.ts'
import { namespaces } from './core/namespace.ts'
import { nodes } from './core/node/node.ts'
import { persistentVolumeClaims } from './core/persistent-volume-claim.ts'
import { persistentVolumes } from './core/persistent-volume.ts'
import { podTemplates } from './core/pod-template-object.ts'
import { pods } from './core/pod/pod.ts'
import { replicationControllers } from './core/replication-controller.ts'
import { resourceQuotas } from './core/resource-quota.ts'
import { secrets } from './core/secret.ts'
import { serviceAccounts } from './core/service-account.ts'
import { services } from './core/service/service.ts'
import { endpointSlices } from './discovery/endpoint-slice.ts'
import { flowSchemas } from './flowcontrol/flow-schema.ts'
import { priorityLevelConfigurations } from './flowcontrol/priority-level-configuration.ts'
import { clusterCIDRs } from './networking/cluster-cidr.ts'
import { ingressClasses } from './networking/ingress-class.ts'
import { ingresses } from './networking/ingress.ts'
import { networkPolicies } from './networking/network-policy.ts'
import { runtimeClasses } from './node/runtime-class.ts'
import { podDisruptionBudgets } from './policy/pod-disruption-budget.ts'
import { clusterRoleBindings } from './rbac/cluster-role-binding.ts'
import { clusterRoles } from './rbac/cluster-role.ts'
import { roleBindings } from './rbac/role-binding.ts'
import { roles } from './rbac/role.ts'
import { priorityClasses } from './scheduling/priority-class.ts'
import { csiDrivers } from './storage/csi-driver.ts'
import { csiNodes } from './storage/csi-node.ts'
import { csiStorageCapacities } from './storage/csi-storage-capacity.ts'
import { storageClasses } from './storage/storage-class.ts'
import { volumeAttachments } from './storage/volume-attachment.ts'

/** Every resource that is built in. */
export const resources: readonly Resource[] = [
  bindings,
  componentStatuses,
  configMaps,
  endpoints,
  events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  podTemplates,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  customResourceDefinitions,
  apiServices,
  storageVersions,
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
  tokenReviews,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  horizontalPodAutoscalers,
  cronJobs,
  jobs,
  certificateSigningRequests,
  leases,
  endpointSlices,
  flowSchemas,
  priorityLevelConfigurations,
  clusterCIDRs,
  ingressClasses,
  ingresses,
  networkPolicies,
  runtimeClasses,
  podDisruptionBudgets,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  priorityClasses,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
]

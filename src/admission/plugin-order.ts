/** The plugins of the release by name, in the order in which they run; it does not depend on flags. */
export const PLUGIN_ORDER: readonly string[] = [
  'AlwaysAdmit',
  'NamespaceAutoProvision',
  'NamespaceLifecycle',
  'NamespaceExists',
  'SecurityContextDeny',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'ServiceAccount',
  'NodeRestriction',
  'TaintNodesByCondition',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodSecurity',
  'PodNodeSelector',
  'Priority',
  'DefaultTolerationSeconds',
  'PodTolerationRestriction',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'PersistentVolumeLabel',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'DenyServiceExternalIPs',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'AlwaysDeny',
]

/** Plugins of an embedding program run before this one: webhooks see their changes, and quotas are charged last. */
export const OWN_PLUGINS_BEFORE = 'MutatingAdmissionWebhook'

/** Plugins that flags of older releases may still name. */
export const REMOVED_PLUGINS: readonly string[] = ['PodSecurityPolicy']

/** What a flag or file that names one of them gets. */
export const REMOVED = 'was removed in this release; use PodSecurity'

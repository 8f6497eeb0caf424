/** All commands. Each is loaded when it is run, since most of the time of a short command is loading. */
import type { Listed } from './base/command.ts'

const BASIC = 'Basic Commands'
const DEPLOY = 'Deploy Commands'
const CLUSTER = 'Cluster Management Commands'
const DEBUG = 'Troubleshooting and Debugging Commands'
const ADVANCED = 'Advanced Commands'
const SETTINGS = 'Settings Commands'
const OTHER = 'Other Commands'

/** Headings in the help of the program, in order. */
export const sections = [BASIC, DEPLOY, CLUSTER, DEBUG, ADVANCED, SETTINGS, OTHER]

/** Commands by their words. */
export const commands: Readonly<Record<string, Listed>> = {
  create: {
    about: 'Create a resource from a file or from stdin',
    section: BASIC,
    load: async () => (await import('./commands/create.ts')).create,
  },
  'create namespace': {
    about: 'Create a namespace with the specified name',
    aliases: ['ns'],
    load: async () => (await import('./commands/create/small.ts')).createNamespace,
  },
  'create configmap': {
    about: 'Create a config map from a local file, directory or literal value',
    aliases: ['cm'],
    load: async () => (await import('./commands/create/data.ts')).createConfigMap,
  },
  'create secret': {
    about: 'Create a secret using specified subcommand',
  },
  'create secret generic': {
    about: 'Create a secret from a local file, directory, or literal value',
    load: async () => (await import('./commands/create/data.ts')).createSecretGeneric,
  },
  'create secret tls': {
    about: 'Create a TLS secret',
    load: async () => (await import('./commands/create/data.ts')).createSecretTls,
  },
  'create secret docker-registry': {
    about: 'Create a secret for use with a Docker registry',
    load: async () => (await import('./commands/create/data.ts')).createSecretDocker,
  },
  'create serviceaccount': {
    about: 'Create a service account with the specified name',
    aliases: ['sa'],
    load: async () => (await import('./commands/create/small.ts')).createServiceAccount,
  },
  'create token': {
    about: 'Request a service account token',
    load: async () => (await import('./commands/create/small.ts')).createToken,
  },
  'create role': {
    about: 'Create a role with single rule',
    load: async () => (await import('./commands/create/roles.ts')).createRole,
  },
  'create rolebinding': {
    about: 'Create a role binding for a particular role or cluster role',
    load: async () => (await import('./commands/create/roles.ts')).createRoleBinding,
  },
  'create clusterrole': {
    about: 'Create a cluster role',
    load: async () => (await import('./commands/create/roles.ts')).createClusterRole,
  },
  'create clusterrolebinding': {
    about: 'Create a cluster role binding for a particular cluster role',
    load: async () => (await import('./commands/create/roles.ts')).createClusterRoleBinding,
  },
  'create deployment': {
    about: 'Create a deployment with the specified name',
    aliases: ['deploy'],
    load: async () => (await import('./commands/create/workloads.ts')).createDeployment,
  },
  'create job': {
    about: 'Create a job with the specified name',
    load: async () => (await import('./commands/create/workloads.ts')).createJob,
  },
  'create cronjob': {
    about: 'Create a cron job with the specified name',
    aliases: ['cj'],
    load: async () => (await import('./commands/create/workloads.ts')).createCronJob,
  },
  'create service': {
    about: 'Create a service using a specified subcommand',
    aliases: ['svc'],
  },
  'create service clusterip': {
    about: 'Create a ClusterIP service',
    load: async () => (await import('./commands/create/workloads.ts')).createClusterIp,
  },
  'create service nodeport': {
    about: 'Create a NodePort service',
    load: async () => (await import('./commands/create/workloads.ts')).createNodePort,
  },
  'create service loadbalancer': {
    about: 'Create a LoadBalancer service',
    load: async () => (await import('./commands/create/workloads.ts')).createLoadBalancer,
  },
  'create service externalname': {
    about: 'Create an ExternalName service',
    load: async () => (await import('./commands/create/workloads.ts')).createExternalName,
  },
  'create ingress': {
    about: 'Create an ingress with the specified name',
    aliases: ['ing'],
    load: async () => (await import('./commands/create/small.ts')).createIngress,
  },
  'create quota': {
    about: 'Create a quota with the specified name',
    aliases: ['resourcequota'],
    load: async () => (await import('./commands/create/small.ts')).createQuota,
  },
  'create poddisruptionbudget': {
    about: 'Create a pod disruption budget with the specified name',
    aliases: ['pdb'],
    load: async () => (await import('./commands/create/small.ts')).createBudget,
  },
  'create priorityclass': {
    about: 'Create a priority class with the specified name',
    aliases: ['pc'],
    load: async () => (await import('./commands/create/small.ts')).createPriorityClass,
  },
  expose: {
    about:
      'Take a replication controller, service, deployment or pod and expose it as a new service',
    section: BASIC,
    load: async () => (await import('./commands/expose.ts')).expose,
  },
  run: {
    about: 'Run a particular image on the cluster',
    section: BASIC,
    load: async () => (await import('./commands/expose.ts')).run,
  },
  set: {
    about: 'Set specific features on objects',
    section: BASIC,
  },
  'set env': {
    about: 'Update environment variables on a pod template',
    load: async () => (await import('./commands/set/all.ts')).setEnv,
  },
  'set image': {
    about: 'Update the image of a pod template',
    load: async () => (await import('./commands/set/all.ts')).setImage,
  },
  'set resources': {
    about: 'Update resource requests/limits on objects with pod templates',
    load: async () => (await import('./commands/set/all.ts')).setResources,
  },
  'set selector': {
    about: 'Set the selector on a resource',
    load: async () => (await import('./commands/set/all.ts')).setSelector,
  },
  'set serviceaccount': {
    about: 'Update the service account of a resource',
    aliases: ['sa'],
    load: async () => (await import('./commands/set/all.ts')).setServiceAccount,
  },
  'set subject': {
    about: 'Update the user, group, or service account in a role binding or cluster role binding',
    load: async () => (await import('./commands/set/all.ts')).setSubject,
  },
  explain: {
    about: 'Get documentation for a resource',
    section: BASIC,
    load: async () => (await import('./commands/explain.ts')).explain,
  },
  get: {
    about: 'Display one or many resources',
    section: BASIC,
    load: async () => (await import('./commands/get.ts')).get,
  },
  edit: {
    about: 'Edit a resource on the server',
    section: BASIC,
    load: async () => (await import('./commands/edit.ts')).edit,
  },
  delete: {
    about:
      'Delete resources by file names, stdin, resources and names, or by resources and label selector',
    section: BASIC,
    load: async () => (await import('./commands/delete.ts')).deleteCommand,
  },
  rollout: {
    about: 'Manage the rollout of a resource',
    section: DEPLOY,
  },
  'rollout history': {
    about: 'View rollout history',
    load: async () => (await import('./commands/rollout/all.ts')).rolloutHistory,
  },
  'rollout pause': {
    about: 'Mark the provided resource as paused',
    load: async () => (await import('./commands/rollout/all.ts')).rolloutPause,
  },
  'rollout restart': {
    about: 'Restart a resource',
    load: async () => (await import('./commands/rollout/all.ts')).rolloutRestart,
  },
  'rollout resume': {
    about: 'Resume a paused resource',
    load: async () => (await import('./commands/rollout/all.ts')).rolloutResume,
  },
  'rollout status': {
    about: 'Show the status of the rollout',
    load: async () => (await import('./commands/rollout/all.ts')).rolloutStatus,
  },
  'rollout undo': {
    about: 'Undo a previous rollout',
    load: async () => (await import('./commands/rollout/all.ts')).rolloutUndo,
  },
  scale: {
    about: 'Set a new size for a deployment, replica set, or replication controller',
    section: DEPLOY,
    load: async () => (await import('./commands/scale.ts')).scale,
  },
  autoscale: {
    about: 'Auto-scale a deployment, replica set, stateful set, or replication controller',
    section: DEPLOY,
    load: async () => (await import('./commands/expose.ts')).autoscale,
  },
  certificate: {
    about: 'Modify certificate resources',
    section: CLUSTER,
  },
  'certificate approve': {
    about: 'Approve a certificate signing request',
    load: async () => (await import('./commands/certificate.ts')).approve,
  },
  'certificate deny': {
    about: 'Deny a certificate signing request',
    load: async () => (await import('./commands/certificate.ts')).deny,
  },
  'cluster-info': {
    about: 'Display cluster information',
    section: CLUSTER,
    load: async () => (await import('./commands/cluster-info.ts')).clusterInfo,
  },
  'cluster-info dump': {
    about: 'Dump relevant information for debugging and diagnosis',
    load: async () => (await import('./commands/cluster-info.ts')).clusterInfoDump,
  },
  top: {
    about: 'Not supported: display resource (CPU/memory) usage',
    section: CLUSTER,
    load: async () => (await import('./commands/refused.ts')).top,
  },
  cordon: {
    about: 'Mark node as unschedulable',
    section: CLUSTER,
    load: async () => (await import('./commands/nodes.ts')).cordon,
  },
  uncordon: {
    about: 'Mark node as schedulable',
    section: CLUSTER,
    load: async () => (await import('./commands/nodes.ts')).uncordon,
  },
  drain: {
    about: 'Drain node in preparation for maintenance',
    section: CLUSTER,
    load: async () => (await import('./commands/nodes.ts')).drain,
  },
  taint: {
    about: 'Update the taints on one or more nodes',
    section: CLUSTER,
    load: async () => (await import('./commands/nodes.ts')).taint,
  },
  describe: {
    about: 'Show details of a specific resource or group of resources',
    section: DEBUG,
    load: async () => (await import('./commands/describe.ts')).describe,
  },
  logs: {
    about: 'Print the logs for a container in a pod',
    section: DEBUG,
    aliases: ['log'],
    load: async () => (await import('./commands/sessions.ts')).logs,
  },
  attach: {
    about: 'Attach to a running container',
    section: DEBUG,
    load: async () => (await import('./commands/sessions.ts')).attach,
  },
  exec: {
    about: 'Execute a command in a container',
    section: DEBUG,
    load: async () => (await import('./commands/sessions.ts')).exec,
  },
  'port-forward': {
    about: 'Forward one or more local ports to a pod',
    section: DEBUG,
    load: async () => (await import('./commands/forward.ts')).portForward,
  },
  proxy: {
    about: 'Run a proxy to the API server',
    section: DEBUG,
    load: async () => (await import('./commands/forward.ts')).proxy,
  },
  cp: {
    about: 'Copy files and directories to and from containers',
    section: DEBUG,
    load: async () => (await import('./commands/cp.ts')).cp,
  },
  auth: {
    about: 'Inspect authorization',
    section: DEBUG,
  },
  'auth can-i': {
    about: 'Check whether an action is allowed',
    load: async () => (await import('./commands/auth/all.ts')).canI,
  },
  'auth reconcile': {
    about:
      'Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects',
    load: async () => (await import('./commands/auth/all.ts')).reconcile,
  },
  'auth whoami': {
    about: 'Show who the server takes the user for',
    load: async () => (await import('./commands/auth/all.ts')).whoami,
  },
  debug: {
    about: 'Not supported: create debugging sessions',
    section: DEBUG,
    load: async () => (await import('./commands/refused.ts')).debug,
  },
  events: {
    about: 'List events',
    section: DEBUG,
    load: async () => (await import('./commands/events.ts')).events,
  },
  diff: {
    about: 'Diff the live version against a would-be applied version',
    section: ADVANCED,
    load: async () => (await import('./commands/diff.ts')).diff,
  },
  apply: {
    about: 'Apply a configuration to a resource by file name or stdin',
    section: ADVANCED,
    load: async () => (await import('./commands/apply.ts')).apply,
  },
  'apply edit-last-applied': {
    about: 'Edit latest last-applied-configuration annotations of a resource/object',
    load: async () => (await import('./commands/last-applied.ts')).editLastApplied,
  },
  'apply set-last-applied': {
    about:
      'Set the last-applied-configuration annotation on a live object to match the contents of a file',
    load: async () => (await import('./commands/last-applied.ts')).setLastApplied,
  },
  'apply view-last-applied': {
    about: 'View the latest last-applied-configuration annotations of a resource/object',
    load: async () => (await import('./commands/last-applied.ts')).viewLastApplied,
  },
  patch: {
    about: 'Update fields of a resource',
    section: ADVANCED,
    load: async () => (await import('./commands/patch.ts')).patch,
  },
  replace: {
    about: 'Replace a resource by file name or stdin',
    section: ADVANCED,
    load: async () => (await import('./commands/replace.ts')).replace,
  },
  wait: {
    about: 'Wait for a specific condition on one or many resources',
    section: ADVANCED,
    load: async () => (await import('./commands/wait.ts')).wait,
  },
  kustomize: {
    about: 'Not supported: build a kustomization target',
    section: ADVANCED,
    load: async () => (await import('./commands/refused.ts')).kustomize,
  },
  convert: {
    about: 'Convert manifests of removed versions',
    section: ADVANCED,
    load: async () => (await import('./commands/convert.ts')).convert,
  },
  label: {
    about: 'Update the labels on a resource',
    section: SETTINGS,
    load: async () => (await import('./commands/label.ts')).label,
  },
  annotate: {
    about: 'Update the annotations on a resource',
    section: SETTINGS,
    load: async () => (await import('./commands/annotate.ts')).annotate,
  },
  completion: {
    about: 'Output shell completion code for the specified shell (bash, zsh, fish, or powershell)',
    section: SETTINGS,
    load: async () => (await import('./commands/completion.ts')).completion,
  },
  __complete: {
    about: 'For completion scripts',
    load: async () => (await import('./commands/completion.ts')).complete,
  },
  'api-resources': {
    about: 'Print the supported API resources on the server',
    section: OTHER,
    load: async () => (await import('./commands/api-resources.ts')).apiResources,
  },
  'api-versions': {
    about: 'Print the supported API versions on the server',
    section: OTHER,
    load: async () => (await import('./commands/api-resources.ts')).apiVersions,
  },
  config: {
    about: 'Modify client configuration files',
    section: OTHER,
  },
  'config view': {
    about: 'Display merged configuration settings',
    load: async () => (await import('./commands/config/view.ts')).configView,
  },
  'config current-context': {
    about: 'Display the current-context',
    load: async () => (await import('./commands/config/view.ts')).currentContext,
  },
  'config get-clusters': {
    about: 'Display clusters defined in the configuration',
    load: async () => (await import('./commands/config/view.ts')).getClusters,
  },
  'config get-contexts': {
    about: 'Describe one or many contexts',
    load: async () => (await import('./commands/config/view.ts')).getContexts,
  },
  'config get-users': {
    about: 'Display users defined in the configuration',
    load: async () => (await import('./commands/config/view.ts')).getUsers,
  },
  'config use-context': {
    about: 'Set the current-context',
    aliases: ['use'],
    load: async () => (await import('./commands/config/change.ts')).useContext,
  },
  'config delete-cluster': {
    about: 'Delete the specified cluster from the configuration',
    load: async () => (await import('./commands/config/change.ts')).deleteCluster,
  },
  'config delete-context': {
    about: 'Delete the specified context from the configuration',
    load: async () => (await import('./commands/config/change.ts')).deleteContext,
  },
  'config delete-user': {
    about: 'Delete the specified user from the configuration',
    load: async () => (await import('./commands/config/change.ts')).deleteUser,
  },
  'config rename-context': {
    about: 'Rename a context',
    load: async () => (await import('./commands/config/change.ts')).renameContext,
  },
  'config set-context': {
    about: 'Set a context entry',
    load: async () => (await import('./commands/config/change.ts')).setContext,
  },
  'config set-cluster': {
    about: 'Set a cluster entry',
    load: async () => (await import('./commands/config/change.ts')).setCluster,
  },
  'config set-credentials': {
    about: 'Set a user entry',
    load: async () => (await import('./commands/config/change.ts')).setCredentials,
  },
  'config set': {
    about: 'Set an individual value',
    load: async () => (await import('./commands/config/change.ts')).set,
  },
  'config unset': {
    about: 'Unset an individual value',
    load: async () => (await import('./commands/config/change.ts')).unset,
  },
  plugin: {
    about: 'Provides utilities for interacting with plugins',
    section: OTHER,
  },
  'plugin list': {
    about: 'List all visible plugin executables on the PATH',
    load: async () => (await import('./commands/last-applied.ts')).pluginList,
  },
  options: {
    about: 'Print the list of flags inherited by all commands',
    load: async () => (await import('./commands/last-applied.ts')).options,
  },
  version: {
    about: 'Print the client and server version information',
    section: OTHER,
    load: async () => (await import('./commands/version.ts')).version,
  },
}

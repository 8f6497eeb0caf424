/** All commands. Each is loaded when it is run, since most of the time of a short command is loading. */
import type { Command } from './base/command.ts'

/** A command, or words that commands begin with. */
export interface Listed {
  readonly about: string
  /** Heading in the help of the program; commands below another command have none. */
  readonly section?: string
  /** Other words for the last one. */
  readonly aliases?: readonly string[]
  /** Absent for words that are no command by themselves. */
  readonly load?: () => Promise<Command>
}

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
  get: {
    about: 'Display one or many resources',
    section: BASIC,
    load: async () => (await import('./commands/get.ts')).get,
  },
  create: {
    about: 'Create a resource from a file or from stdin',
    section: BASIC,
    load: async () => (await import('./commands/create.ts')).create,
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
  scale: {
    about: 'Set a new size for a deployment, replica set, or replication controller',
    section: DEPLOY,
    load: async () => (await import('./commands/scale.ts')).scale,
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
  apply: {
    about: 'Apply a configuration to a resource by file name or stdin',
    section: ADVANCED,
    load: async () => (await import('./commands/apply.ts')).apply,
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
  version: {
    about: 'Print the client and server version information',
    section: OTHER,
    load: async () => (await import('./commands/version.ts')).version,
  },
}

import { notFound, StatusError } from '../../meta/errors.ts'
import type { Attributes } from '../attributes.ts'
import type { PluginDeps, PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

const NAMESPACES = { group: '', resource: 'namespaces' }

/** Makes the namespace of a new object when it does not exist. */
export const namespaceAutoProvision: PluginFactory = {
  name: 'NamespaceAutoProvision',
  defaultOn: false,
  create: ({ objects, writer }) => ({
    handles: (operation) => operation === 'CREATE',
    async mutate(attributes) {
      const { dryRun, namespace: name } = attributes
      if (dryRun || !isInNamespace(attributes)) return
      if (await objects.get(NAMESPACES, '', name)) return
      try {
        await writer.create(NAMESPACES, '', { metadata: { name } })
      } catch (error) {
        if (!(error instanceof StatusError)) throw error
        // Another request was faster.
        if (error.reason === 'AlreadyExists') return
        throw refusalOf(attributes, error.message)
      }
    },
  }),
}

/** Refuses requests in namespaces that do not exist. */
export const namespaceExists: PluginFactory = {
  name: 'NamespaceExists',
  defaultOn: false,
  create: (deps) => ({
    handles: (operation) => operation !== 'CONNECT',
    async validate(attributes) {
      if (!isInNamespace(attributes)) return
      const { namespace: name } = attributes
      if (!(await exists(name, deps))) throw notFound(NAMESPACES, name)
    },
  }),
}

const isInNamespace = ({ namespace, resource }: Attributes): boolean =>
  namespace !== '' && !(resource.resource === 'namespaces' && resource.group === '')

/** Looks again when another server may have made the namespace. */
async function exists(name: string, { objects }: PluginDeps): Promise<boolean> {
  if (await objects.get(NAMESPACES, '', name)) return true
  const fresh = objects.fresh?.()
  if (!fresh) return false
  await fresh
  return (await objects.get(NAMESPACES, '', name)) !== null
}

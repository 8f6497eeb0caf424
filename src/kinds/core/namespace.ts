import { group } from '../../schema/object-meta.ts'
import { part, resource } from '../../schema/resource.ts'
import { t } from '../../schema/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
const { kind, shape } = group('core/v1')
export class NamespaceSpec extends shape({ finalizers: t.list(1, 'string') }) {}
export class NamespaceStatus extends shape({ phase: t.string(1) }) {}
export class Namespace extends kind({ spec: t.object(2, NamespaceSpec), status: t.object(3, NamespaceStatus) }) {}
export const namespaces = resource(Namespace, { plural: 'namespaces', short: ['ns'], scope: 'cluster', without: ['deletecollection'], columns: [nameColumn, ageColumn], subresources: { status: part('status') }, onCreate(n) { n.status = { phase: 'Active' } } })

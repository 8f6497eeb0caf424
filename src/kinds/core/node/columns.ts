import { column, type Column } from '../../../catalogue/resource.ts'
import { ageColumn, nameColumn } from '../../columns.ts'
import type { Node } from './node.ts'

type Cell = Column<Node>['cell']

const status: Cell = ({ spec, status: { conditions } }) => {
  const ready = conditions?.find(({ type }) => type === 'Ready')
  const word = !ready ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return spec.unschedulable === true ? `${word},SchedulingDisabled` : word
}

const roles: Cell = ({ metadata }, { v }) => {
  const prefix = v.resolve('node-role.{label}/')
  const single = v.resolve('{label}/role')
  const names = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(prefix)) return key.slice(prefix.length)
    return key === single ? value : ''
  })
  const found = [...new Set(names.filter((name) => name !== ''))].sort()
  return found.length === 0 ? '<none>' : found.join(',')
}

const addressOf =
  (wanted: string): Cell =>
  ({ status: { addresses } }) =>
    addresses?.find(({ type }) => type === wanted)?.address ?? '<none>'

const info =
  (name: 'osImage' | 'kernelVersion' | 'containerRuntimeVersion'): Cell =>
  ({ status: { nodeInfo } }) =>
    nodeInfo[name] || '<unknown>'

// Cells read the field names of the wire.
const version: Cell = ({ status: { nodeInfo } }, { v }) =>
  (nodeInfo as unknown as Readonly<Record<string, string>>)[v.resolve('{agent}Version')] ?? ''

/** Columns of the table of nodes. */
export const nodeColumns: readonly Column<Node>[] = [
  nameColumn,
  column('Status', 'string', status, {
    description: 'Readiness of the node and whether it is schedulable.',
  }),
  column('Roles', 'string', roles, { description: 'Roles of the node, read from its labels.' }),
  ageColumn,
  column('Version', 'string', version, {
    description: 'Version of the node agent that runs on the node.',
  }),
  column('Internal-IP', 'string', addressOf('InternalIP'), {
    wide: true,
    description: 'IP address of the node inside the cluster.',
  }),
  column('External-IP', 'string', addressOf('ExternalIP'), {
    wide: true,
    description: 'IP address of the node outside the cluster.',
  }),
  column('OS-Image', 'string', info('osImage'), {
    wide: true,
    description: 'Name and version of the operating system.',
  }),
  column('Kernel-Version', 'string', info('kernelVersion'), {
    wide: true,
    description: 'Version of the kernel of the node.',
  }),
  column('Container-Runtime', 'string', info('containerRuntimeVersion'), {
    wide: true,
    description: 'Container runtime and its version.',
  }),
]

import type { Typed } from '../../../meta/object-meta.ts'
import { column, type Column } from '../../../catalogue/resource.ts'
import { ageColumn, nameColumn } from '../../columns.ts'
import { type LoadBalancerStatus, loadBalancerText } from '../load-balancer-status.ts'
import type { ServicePort, ServiceSpec } from './service-spec.ts'

/** What the columns read of a service. */
export interface Row extends Typed {
  spec: ServiceSpec
  status: { loadBalancer: LoadBalancerStatus }
}

const EMPTY = '<none>'

/** The columns of services in tables. */
export const serviceColumns: readonly Column<Row>[] = [
  nameColumn,
  column('Type', 'string', ({ spec }) => spec.type ?? '', {
    description: 'Type of the service.',
  }),
  column('Cluster-IP', 'string', ({ spec }) => spec.clusterIPs?.[0] ?? EMPTY, {
    description: 'Primary cluster IP address, or None for a headless service.',
  }),
  column('External-IP', 'string', outside, {
    description: 'External addresses of the service, or its external name.',
  }),
  column('Port(s)', 'string', ({ spec }) => spec.ports?.map(portText).join(',') || EMPTY, {
    description: 'Ports of the service and, after a colon, node ports.',
  }),
  ageColumn,
  column('Selector', 'string', ({ spec }) => labelsText(spec.selector), {
    wide: true,
    description: 'Label selector for the pods behind the service.',
  }),
]

function outside({ spec, status }: Row): string {
  const given = (spec.externalIPs ?? []).join(',')
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return given || EMPTY
    case 'LoadBalancer': {
      const balanced = loadBalancerText(status?.loadBalancer)
      return [balanced, given].filter((text) => text !== '').join(',') || '<pending>'
    }
    case 'ExternalName':
      return spec.externalName ?? ''
    default:
      return '<unknown>'
  }
}

const portText = ({ port, nodePort = 0, protocol }: ServicePort): string =>
  nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`

const labelsText = (labels: Readonly<Record<string, string>> = {}): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',') || EMPTY

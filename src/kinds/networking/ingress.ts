import { sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, part, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import {
  loadBalancerText,
  LoadBalancerStatus,
  validateLoadBalancerStatus,
} from '../core/load-balancer-status.ts'
import { IngressSpec } from './ingress-spec.ts'
import { validateIngressSpec } from './validate-ingress.ts'

const { kind, shape } = group('networking{api}/v1')

const CLASS_ANNOTATION = '{label}/ingress.class'

/** Load balancer addresses of an Ingress. */
export class IngressStatus extends shape({
  /** Addresses at which the load balancer accepts traffic for the Ingress. */
  loadBalancer: t.object(1, LoadBalancerStatus),
}) {}

/** An Ingress routes HTTP and HTTPS traffic from outside the cluster to Services, by host and path. */
export class Ingress extends kind({
  /** Desired routing of incoming traffic. */
  spec: t.object(2, IngressSpec),
  /** Most recently observed state. Set by the ingress controller; read-only for users. */
  status: t.object(3, IngressStatus),
}) {}

export const ingresses = resource(Ingress, {
  plural: 'ingresses',
  short: ['ing'],
  scope: 'namespace',
  deleteAnswers: 'status',
  subresources: {
    status: part('status', {
      validate: ({ status }, errors) =>
        validateLoadBalancerStatus(status.loadBalancer, errors.at('status', 'loadBalancer')),
    }),
  },
  columns: [
    nameColumn,
    column('Class', 'string', ({ spec }) => spec.ingressClassName ?? '<none>', {
      description: 'Name of the IngressClass.',
    }),
    column('Hosts', 'string', ({ spec }) => hostsText(spec), {
      description: 'Hosts of the routing rules.',
    }),
    column('Address', 'string', ({ status }) => loadBalancerText(status?.loadBalancer), {
      description: 'Addresses of the load balancer.',
    }),
    column('Ports', 'string', ({ spec }) => (spec.tls?.length ? '80, 443' : '80'), {
      description: 'Ports on which traffic is accepted.',
    }),
    ageColumn,
  ],

  prepareForCreate(ingress) {
    ingress.status = { loadBalancer: {} }
    ingress.metadata.generation = 1
  },

  prepareForUpdate(next, old) {
    if (!sameValue(next.spec, old.spec)) {
      next.metadata.generation = raised(old.metadata)
    }
  },

  validate({ metadata, spec }, errors, { v }, old) {
    validateIngressSpec(spec, errors.at('spec'), old?.spec)
    const key = v.resolve(CLASS_ANNOTATION)
    const { annotations = {} } = metadata
    if (!old && spec.ingressClassName !== undefined && Object.hasOwn(annotations, key)) {
      errors
        .at('annotations', key)
        .invalid(annotations[key], 'can not be set when the class field is also set')
    }
  },
})

const SHOWN = 3

function hostsText({ rules = [] }: IngressSpec): string {
  const hosts: string[] = []
  for (const { host = '' } of rules) {
    if (hosts.length === SHOWN) return `${hosts.join(',')} + ${rules.length - SHOWN} more...`
    if (host !== '') hosts.push(host)
  }
  return hosts.length === 0 ? '*' : hosts.join(',')
}

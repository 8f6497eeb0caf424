import { home, t } from '../../notation/shape.ts'
import { TypedLocalObjectReference } from '../core/local-object-reference.ts'

const { shape } = home('networking{api}/v1')

/** Port of a service, by exactly one of these. */
export class ServiceBackendPort extends shape({
  /** Name of the port. */
  name: t.string(1),
  /** Number of the port. */
  number: t.int32(2),
}) {}

/** A service in the namespace of the ingress. */
export class IngressServiceBackend extends shape({
  /** Name of the service. */
  name: t.string(1).required(),
  /** Port of the service. */
  port: t.object(2, ServiceBackendPort),
}) {}

/** Where traffic goes: exactly one of these. */
export class IngressBackend extends shape({
  /** A service. */
  service: t.object(4, IngressServiceBackend).explicit(),
  /** Another object in the same namespace. */
  resource: t.object(3, TypedLocalObjectReference).explicit(),
}) {}

/** One path of a host. */
export class HTTPIngressPath extends shape({
  /** Path of the request, from `/` on. */
  path: t.string(1),
  /** Whether the path must be met as a whole, by whole segments at its start, or as the controller sees fit. */
  pathType: t.string(3).explicit().mandatory().oneOf('Exact', 'ImplementationSpecific', 'Prefix'),
  /** Where its traffic goes. */
  backend: t.object(2, IngressBackend).required(),
}) {}

/** Paths of one host. */
export class HTTPIngressRuleValue extends shape({
  /** The paths; at least one. */
  paths: t.list(1, HTTPIngressPath).required().atomic(),
}) {}

/** What a rule does with traffic. */
export class IngressRuleValue extends shape({
  /** By path of the request; without it, all traffic of the host goes to the default. */
  http: t.object(1, HTTPIngressRuleValue).explicit(),
}) {}

/** What is done with the traffic of one host. */
export class IngressRule extends shape({
  /** Name of the host, or `*.` and a name for all one step below it; any host when left out. */
  host: t.string(1),
  /** What is done. */
  ingressRuleValue: t.inline(2, IngressRuleValue),
}) {}

/** A certificate and the hosts it is for. */
export class IngressTLS extends shape({
  /** Hosts in the certificate; those of the controller's default when left out. */
  hosts: t.list(1, 'string').atomic(),
  /** Secret with certificate and key. */
  secretName: t.string(2),
}) {}

/** How traffic from outside is led to services. */
export class IngressSpec extends shape({
  /** Class of the ingress, which names the controller that does it. */
  ingressClassName: t.string(4).explicit(),
  /** Where traffic goes that no rule is for. */
  defaultBackend: t.object(1, IngressBackend).explicit(),
  /** Certificates; hosts that share a port are told apart by name. */
  tls: t.list(2, IngressTLS).atomic(),
  /** Rules by host. */
  rules: t.list(3, IngressRule).atomic(),
}) {}

import { home, t } from '../../notation/shape.ts'
import { TypedLocalObjectReference } from '../core/local-object-reference.ts'

const { shape } = home('networking{api}/v1')

/** Port of a Service. Exactly one of `name` and `number` must be set. */
export class ServiceBackendPort extends shape({
  /** Name of the Service port. Mutually exclusive with `number`. */
  name: t.string(1),
  /** Number of the Service port, 1 to 65535. Mutually exclusive with `name`. */
  number: t.int32(2),
}) {}

/** Service in the namespace of the Ingress that receives the traffic. */
export class IngressServiceBackend extends shape({
  /** Name of the Service. */
  name: t.string(1).required(),
  /** Port of the Service, by name or number. */
  port: t.object(2, ServiceBackendPort),
}) {}

/** Backend that receives the traffic. Exactly one of `service` and `resource` must be set. */
export class IngressBackend extends shape({
  /** Service that receives the traffic. Mutually exclusive with `resource`. */
  service: t.object(4, IngressServiceBackend).explicit(),
  /**
   * Another object in the namespace of the Ingress as the backend, such as an object storage bucket. Mutually exclusive
   * with `service`.
   */
  resource: t.object(3, TypedLocalObjectReference).explicit(),
}) {}

/** Path of incoming requests and the backend for it. */
export class HTTPIngressPath extends shape({
  /** Path to match against the path of requests. Must begin with `/` if `pathType` is `Exact` or `Prefix`. */
  path: t.string(1),
  /**
   * How `path` is matched: `Exact` matches the whole path, case-sensitively, `Prefix` matches by path segments,
   * `ImplementationSpecific` leaves it to the IngressClass. Required.
   */
  pathType: t.string(3).explicit().mandatory().oneOf('Exact', 'ImplementationSpecific', 'Prefix'),
  /** Backend that matching requests are forwarded to. */
  backend: t.object(2, IngressBackend).required(),
}) {}

/** Paths of one host and their backends. */
export class HTTPIngressRuleValue extends shape({
  /** Paths with their backends; at least one. */
  paths: t.list(1, HTTPIngressPath).required().atomic(),
}) {}

/** Routing of the traffic that matches a rule. */
export class IngressRuleValue extends shape({
  /** Routing of HTTP requests by path. If unset, all traffic of the host is sent to the default backend. */
  http: t.object(1, HTTPIngressRuleValue).explicit(),
}) {}

/** Routing rule for the traffic of one host. */
export class IngressRule extends shape({
  /**
   * Fully qualified domain name of the host, without port and not an IP address. `*.` at the start matches exactly one
   * DNS label. If empty, the rule applies to all hosts.
   */
  host: t.string(1),
  /** Routing of the traffic that matches the host. */
  ingressRuleValue: t.inline(2, IngressRuleValue),
}) {}

/** TLS certificate for a set of hosts. */
export class IngressTLS extends shape({
  /** Host names that the certificate covers. If empty, the controller applies its default for wildcard hosts. */
  hosts: t.list(1, 'string').atomic(),
  /**
   * Name of the Secret in the same namespace with the TLS certificate and key. May be empty if the controller routes by
   * SNI only.
   */
  secretName: t.string(2),
}) {}

/**
 * Class, rules, default backend and certificates of an Ingress. At least one of `defaultBackend` and `rules` must be
 * set.
 */
export class IngressSpec extends shape({
  /**
   * Name of the IngressClass, which determines the controller. If unset, admission sets the default class, if there is
   * one. Mutually exclusive on create with the annotation `{label}/ingress.class`.
   */
  ingressClassName: t.string(4).explicit(),
  /** Backend for requests that no rule matches. Required if there are no rules. */
  defaultBackend: t.object(1, IngressBackend).explicit(),
  /** TLS configuration. Entries share port 443 and are selected by the host name in the TLS handshake (SNI). */
  tls: t.list(2, IngressTLS).atomic(),
  /** Routing rules by host. Requests that match none are sent to the default backend. */
  rules: t.list(3, IngressRule).atomic(),
}) {}

import { home, t } from '../../notation/shape.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { shape } = home('admissionregistration{api}/v1')

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'] as const

/** A service in the cluster that answers calls. */
export class ServiceReference extends shape({
  /** Namespace of the service. */
  namespace: t.string(1).required(),
  /** Name of the service. */
  name: t.string(2).required(),
  /** Path of the calls; `/` unless set. */
  path: t.string(3).explicit(),
  /** Port of the service; 443 unless set. */
  port: t.int32(4).explicit(),
}) {}

/** How a webhook is reached: by `url` or through `service`. */
export class WebhookClientConfig extends shape({
  /** Address as an https URL, without user, query and fragment. */
  url: t.string(3).explicit(),
  /** Service in the cluster. */
  service: t.object(1, ServiceReference).explicit(),
  /** PEM certificates that the webhook's own is checked with; those of the system unless set. */
  caBundle: t.bytes(2),
}) {}

/** Resources, by name. */
export class Rule extends shape({
  /** API groups; the empty name is the core group, `*` is all. */
  apiGroups: t.list(1, 'string'),
  /** Versions; `*` is all. */
  apiVersions: t.list(2, 'string'),
  /** Resources, as `pods`, `pods/log`, `pods/*`, or with `*` before or after the slash; `*` is all but sub-resources. */
  resources: t.list(3, 'string'),
  /** Only resources in namespaces, only those of the cluster, or both, which is what `*` and nothing mean. */
  scope: t.string(4).explicit().oneOf('*', 'Cluster', 'Namespaced'),
}) {}

/** Requests that are sent to a webhook: what is done to which resources. */
export class RuleWithOperations extends shape({
  /** What is done; `*` is everything. */
  operations: t.list(1, OPERATIONS),
  /** Resources that it is done to. */
  rule: t.inline(2, Rule),
}) {}

/** A webhook that may refuse requests. */
export class ValidatingWebhook extends shape({
  /** Name with at least three parts, unique in the configuration. */
  name: t.string(1).required(),
  /** How it is reached. */
  clientConfig: t.object(2, WebhookClientConfig).required(),
  /** Requests that it is asked about. */
  rules: t.list(3, RuleWithOperations),
  /** What an unanswered call means: `Fail` refuses the request, `Ignore` goes on. `Fail` unless set. */
  failurePolicy: t.string(4).explicit().oneOf('Fail', 'Ignore'),
  /** Whether rules match only as written, or also other versions of the same resource; `Equivalent` unless set. */
  matchPolicy: t.string(9).explicit().oneOf('Equivalent', 'Exact'),
  /** Namespaces whose objects it is asked about, by their labels. */
  namespaceSelector: t.object(5, LabelSelector).explicit(),
  /** Objects that it is asked about, by their labels before or after the change. */
  objectSelector: t.object(10, LabelSelector).explicit(),
  /** Whether a call changes anything else: `None`, or `NoneOnDryRun`. */
  sideEffects: t.string(6).explicit().mandatory(),
  /** Seconds that a call may take, 1 to 30; 10 unless set. */
  timeoutSeconds: t.int32(7).explicit(),
  /** Versions of the review that it understands, the preferred first. */
  admissionReviewVersions: t.list(8, 'string').required(),
}) {}

/** A webhook that may change objects, or refuse requests. */
export class MutatingWebhook extends shape({
  /** Name with at least three parts, unique in the configuration. */
  name: t.string(1).required(),
  /** How it is reached. */
  clientConfig: t.object(2, WebhookClientConfig).required(),
  /** Requests that it is asked about. */
  rules: t.list(3, RuleWithOperations),
  /** What an unanswered call means: `Fail` refuses the request, `Ignore` goes on. `Fail` unless set. */
  failurePolicy: t.string(4).explicit().oneOf('Fail', 'Ignore'),
  /** Whether rules match only as written, or also other versions of the same resource; `Equivalent` unless set. */
  matchPolicy: t.string(9).explicit().oneOf('Equivalent', 'Exact'),
  /** Namespaces whose objects it is asked about, by their labels. */
  namespaceSelector: t.object(5, LabelSelector).explicit(),
  /** Objects that it is asked about, by their labels before or after the change. */
  objectSelector: t.object(11, LabelSelector).explicit(),
  /** Whether a call changes anything else: `None`, or `NoneOnDryRun`. */
  sideEffects: t.string(6).explicit().mandatory(),
  /** Seconds that a call may take, 1 to 30; 10 unless set. */
  timeoutSeconds: t.int32(7).explicit(),
  /** Versions of the review that it understands, the preferred first. */
  admissionReviewVersions: t.list(8, 'string').required(),
  /** Whether it is asked again after others changed the object: `IfNeeded` or `Never`, which is what nothing means. */
  reinvocationPolicy: t.string(10).explicit().oneOf('IfNeeded', 'Never'),
}) {}

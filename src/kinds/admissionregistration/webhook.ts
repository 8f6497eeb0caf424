import { home, t } from '../../notation/shape.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { shape } = home('admissionregistration{api}/v1')

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'] as const

/** Reference to a Service that serves the webhook. */
export class ServiceReference extends shape({
  /** Namespace of the Service. */
  namespace: t.string(1).required(),
  /** Name of the Service. */
  name: t.string(2).required(),
  /** URL path of the webhook. Defaults to `/`. */
  path: t.string(3).explicit(),
  /** Port of the Service that serves the webhook over HTTPS, 1 to 65535. Defaults to 443. */
  port: t.int32(4).explicit(),
}) {}

/** URL or Service of a webhook and the CA to verify it with. Exactly one of `url` and `service` must be set. */
export class WebhookClientConfig extends shape({
  /** URL of the webhook, `https://host:port/path`. User info, query and fragment are not allowed. */
  url: t.string(3).explicit(),
  /** Service that serves the webhook, reached under its cluster DNS name. */
  service: t.object(1, ServiceReference).explicit(),
  /**
   * PEM-encoded CA certificates that the server certificate of the webhook is verified with. Defaults to the system
   * trust roots of the API server.
   */
  caBundle: t.bytes(2),
}) {}

/** API groups, versions and resources that a webhook applies to. */
export class Rule extends shape({
  /** API groups to match; the empty string is the core group. `*` matches all groups and must be the only entry. */
  apiGroups: t.list(1, 'string'),
  /** API versions to match. `*` matches all versions and must be the only entry. */
  apiVersions: t.list(2, 'string'),
  /**
   * Resources to match, such as `pods` or `pods/log`. `*` matches all resources without subresources. With `*` before
   * or after a slash it matches all subresources of a resource, or one subresource of all.
   */
  resources: t.list(3, 'string'),
  /**
   * Scope of the resources to match: `Cluster`, `Namespaced`, or `*` for both. Namespaces themselves are
   * cluster-scoped. Defaults to `*`.
   */
  scope: t.string(4).explicit().oneOf('*', 'Cluster', 'Namespaced'),
}) {}

/** Operations and resources that a webhook applies to. */
export class RuleWithOperations extends shape({
  /**
   * Operations to match: `CREATE`, `UPDATE`, `DELETE` or `CONNECT`. `*` matches all operations and must be the only
   * entry.
   */
  operations: t.list(1, OPERATIONS),
  /** Resources that the operations apply to. */
  rule: t.inline(2, Rule),
}) {}

/** Admission webhook that may reject requests but not change objects. */
export class ValidatingWebhook extends shape({
  /**
   * Fully qualified name of the webhook with at least three segments, such as `policy.example.com`. Unique in the
   * configuration.
   */
  name: t.string(1).required(),
  /** How the server connects to the webhook. */
  clientConfig: t.object(2, WebhookClientConfig).required(),
  /** Requests to send to the webhook; any rule may match. Requests for webhook configurations are never sent. */
  rules: t.list(3, RuleWithOperations),
  /**
   * What happens if the webhook cannot be called or its response is invalid: `Fail` rejects the request, `Ignore`
   * continues. Defaults to `Fail`.
   */
  failurePolicy: t.string(4).explicit().oneOf('Fail', 'Ignore'),
  /**
   * How rules match: `Exact` only requests in the listed group versions, `Equivalent` also requests for the same
   * resource in other versions, which are converted. Defaults to `Equivalent`.
   */
  matchPolicy: t.string(9).explicit().oneOf('Equivalent', 'Exact'),
  /**
   * Label selector for the namespace of the object; for Namespaces, for their own labels. Other cluster-scoped objects
   * always match. Defaults to the empty selector, which matches all.
   */
  namespaceSelector: t.object(5, LabelSelector).explicit(),
  /**
   * Label selector that the new or the old object must match. Defaults to the empty selector, which matches all
   * objects.
   */
  objectSelector: t.object(10, LabelSelector).explicit(),
  /**
   * Whether calls have side effects: `None`, or `NoneOnDryRun` if there are none for dry-run requests. Required; `Some`
   * and `Unknown` are no longer allowed.
   */
  sideEffects: t.string(6).explicit().mandatory(),
  /** Seconds after which a call fails according to `failurePolicy`, 1 to 30. Defaults to 10. */
  timeoutSeconds: t.int32(7).explicit(),
  /**
   * Versions of AdmissionReview that the webhook accepts, the preferred one first. Must include `v1` or `v1beta1`; the
   * first known one is used.
   */
  admissionReviewVersions: t.list(8, 'string').required(),
}) {}

/** Admission webhook that may change or reject objects. */
export class MutatingWebhook extends shape({
  /**
   * Fully qualified name of the webhook with at least three segments, such as `policy.example.com`. Unique in the
   * configuration.
   */
  name: t.string(1).required(),
  /** How the server connects to the webhook. */
  clientConfig: t.object(2, WebhookClientConfig).required(),
  /** Requests to send to the webhook; any rule may match. Requests for webhook configurations are never sent. */
  rules: t.list(3, RuleWithOperations),
  /**
   * What happens if the webhook cannot be called or its response is invalid: `Fail` rejects the request, `Ignore`
   * continues. Defaults to `Fail`.
   */
  failurePolicy: t.string(4).explicit().oneOf('Fail', 'Ignore'),
  /**
   * How rules match: `Exact` only requests in the listed group versions, `Equivalent` also requests for the same
   * resource in other versions, which are converted. Defaults to `Equivalent`.
   */
  matchPolicy: t.string(9).explicit().oneOf('Equivalent', 'Exact'),
  /**
   * Label selector for the namespace of the object; for Namespaces, for their own labels. Other cluster-scoped objects
   * always match. Defaults to the empty selector, which matches all.
   */
  namespaceSelector: t.object(5, LabelSelector).explicit(),
  /**
   * Label selector that the new or the old object must match. Defaults to the empty selector, which matches all
   * objects.
   */
  objectSelector: t.object(11, LabelSelector).explicit(),
  /**
   * Whether calls have side effects: `None`, or `NoneOnDryRun` if there are none for dry-run requests. Required; `Some`
   * and `Unknown` are no longer allowed.
   */
  sideEffects: t.string(6).explicit().mandatory(),
  /** Seconds after which a call fails according to `failurePolicy`, 1 to 30. Defaults to 10. */
  timeoutSeconds: t.int32(7).explicit(),
  /**
   * Versions of AdmissionReview that the webhook accepts, the preferred one first. Must include `v1` or `v1beta1`; the
   * first known one is used.
   */
  admissionReviewVersions: t.list(8, 'string').required(),
  /**
   * Whether the webhook may be called a second time for a request: `IfNeeded` if the object was changed after its first
   * call, or `Never`. Defaults to `Never`.
   */
  reinvocationPolicy: t.string(10).explicit().oneOf('IfNeeded', 'Never'),
}) {}

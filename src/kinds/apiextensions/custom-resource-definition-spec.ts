import { home, t } from '../../notation/shape.ts'
import { JSONSchemaProps } from '../../structural/json-schema-props.ts'

const { shape } = home('apiextensions{api}/v1')

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

/** Webhook that converts custom resources between versions. */
export class WebhookConversion extends shape({
  /** How the server connects to the webhook. Required. */
  clientConfig: t.object(2, WebhookClientConfig).explicit(),
  /**
   * Versions of ConversionReview that the webhook accepts, the preferred one first. Must include `v1` or `v1beta1`; the
   * first known one is used.
   */
  conversionReviewVersions: t.list(3, 'string').required(),
}) {}

/** How custom resources are converted between versions. */
export class CustomResourceConversion extends shape({
  /** `None` changes only `apiVersion`, `Webhook` calls a conversion webhook. Defaults to `None`. */
  strategy: t.string(1).required(),
  /** Conversion webhook. Required if `strategy` is `Webhook`, not allowed otherwise. */
  webhook: t.object(2, WebhookConversion).explicit(),
}) {}

/** Schema that custom resources of one version are validated with. */
export class CustomResourceValidation extends shape({
  /** OpenAPI v3 schema for validation, pruning and defaulting. Required; it must be structural. */
  openAPIV3Schema: t.object(1, JSONSchemaProps).explicit(),
}) {}

/** Enables the status subresource; it has no options. */
export class CustomResourceSubresourceStatus extends shape({}) {}

/** Where the scale subresource finds its values in the custom resource. */
export class CustomResourceSubresourceScale extends shape({
  /** JSON path of the desired replicas, in dot notation below `.spec`, such as `.spec.replicas`. */
  specReplicasPath: t.string(1).required(),
  /** JSON path of the observed replicas, in dot notation below `.status`. A missing value counts as 0. */
  statusReplicasPath: t.string(2).required(),
  /**
   * JSON path of the serialized label selector, below `.spec` or `.status`. Required for a HorizontalPodAutoscaler to
   * scale the resource.
   */
  labelSelectorPath: t.string(3).explicit(),
}) {}

/** Subresources that one version of a custom resource serves. */
export class CustomResourceSubresources extends shape({
  /**
   * If set, enables `/status`. Writes to the main resource then ignore `.status`, and writes to `/status` change
   * nothing else.
   */
  status: t.object(1, CustomResourceSubresourceStatus).explicit(),
  /** If set, enables `/scale`, which reads and sets the number of replicas. */
  scale: t.object(2, CustomResourceSubresourceScale).explicit(),
}) {}

/** Additional column in the table that clients print for the resource. */
export class CustomResourceColumnDefinition extends shape({
  /** Header of the column, as clients print it. */
  name: t.string(1).required(),
  /** Type of the column: `integer`, `number`, `string`, `boolean` or `date`. */
  type: t.string(2).required(),
  /** Format of the values, such as `int32`, `double`, `byte`, `date-time` or `password`. */
  format: t.string(3),
  /** Human-readable description of the column. */
  description: t.string(4),
  /** Columns with priority 0 are always printed, those with a higher number only in wide output. Defaults to 0. */
  priority: t.int32(5),
  /** JSON path of the value in the custom resource, such as `.spec.replicas`. Must start with a dot. */
  jsonPath: t.string(6).required(),
}) {}

/** One version of a custom resource. */
export class CustomResourceDefinitionVersion extends shape({
  /** Name of the version, a DNS label such as `v1`. Unique in the definition. */
  name: t.string(1).required(),
  /** True if the version is served by the API. */
  served: t.bool(2).required(),
  /** True if objects are stored in this version. Exactly one version is the storage version. */
  storage: t.bool(3).required(),
  /** If true, every request for the version returns a warning. Defaults to false. */
  deprecated: t.bool(7),
  /** Warning that replaces the default one, 1 to 256 characters. Only allowed if `deprecated` is true. */
  deprecationWarning: t.string(8).explicit(),
  /** Schema for validation, pruning and defaulting of objects in this version. */
  schema: t.object(4, CustomResourceValidation).explicit(),
  /** Subresources that the version serves. None by default. */
  subresources: t.object(5, CustomResourceSubresources).explicit(),
  /** Columns to print in addition to the name. Defaults to the age of the object. */
  additionalPrinterColumns: t.list(6, CustomResourceColumnDefinition),
}) {}

/** Names of a custom resource in URLs, objects and on the command line. */
export class CustomResourceDefinitionNames extends shape({
  /**
   * Plural name of the resource, lower-case, as used in URLs. Immutable, since the definition is named
   * `<plural>.<group>`.
   */
  plural: t.string(1).required(),
  /** Singular name of the resource, lower-case. Defaults to the lower-cased kind. */
  singular: t.string(2),
  /** Short names that clients accept for the resource, lower-case. */
  shortNames: t.list(3, 'string'),
  /** Kind of the objects, in CamelCase and singular. Immutable once the definition is established. */
  kind: t.string(4).required(),
  /** Kind of lists of the objects. Defaults to the kind followed by `List`. */
  listKind: t.string(5),
  /** Categories that the resource belongs to, such as `all`; clients list all resources of a category. */
  categories: t.list(6, 'string'),
}) {}

/** Group, names, scope, versions and conversion of a custom resource. */
export class CustomResourceDefinitionSpec extends shape({
  /** API group of the custom resource, a domain with at least one dot. Immutable. */
  group: t.string(1).required(),
  /** Resource and kind names of the custom resource. */
  names: t.object(3, CustomResourceDefinitionNames).required(),
  /** Scope of the objects: `Namespaced` or `Cluster`. Immutable once the definition is established. */
  scope: t.string(4).required(),
  /**
   * Versions of the custom resource. Discovery orders them by stability and number, not by their position in the list.
   */
  versions: t.list(7, CustomResourceDefinitionVersion).required(),
  /** How objects are converted between versions. By default only `apiVersion` is changed. */
  conversion: t.object(9, CustomResourceConversion).explicit(),
  /** Deprecated; must be false. Use `x-{brand}-preserve-unknown-fields` in the schema instead. */
  preserveUnknownFields: t.bool(10),
}) {}

import { home, t } from '../../notation/shape.ts'
import { JSONSchemaProps } from '../../structural/json-schema-props.ts'

const { shape } = home('apiextensions{api}/v1')

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

/** A webhook that converts objects between versions. */
export class WebhookConversion extends shape({
  /** How it is reached. */
  clientConfig: t.object(2, WebhookClientConfig).explicit(),
  /** Versions of the review that it understands, the preferred first. */
  conversionReviewVersions: t.list(3, 'string').required(),
}) {}

/** How objects are converted between versions. */
export class CustomResourceConversion extends shape({
  /** `None` changes only the apiVersion, `Webhook` asks a webhook. */
  strategy: t.string(1).required(),
  /** The webhook; only with `Webhook`. */
  webhook: t.object(2, WebhookConversion).explicit(),
}) {}

/** What objects of one version look like. */
export class CustomResourceValidation extends shape({
  /** The schema. */
  openAPIV3Schema: t.object(1, JSONSchemaProps).explicit(),
}) {}

/** That there is a `/status`. */
export class CustomResourceSubresourceStatus extends shape({}) {}

/** Where `/scale` finds its numbers. */
export class CustomResourceSubresourceScale extends shape({
  /** Path of the wanted replicas, below `.spec`. */
  specReplicasPath: t.string(1).required(),
  /** Path of the counted replicas, below `.status`. */
  statusReplicasPath: t.string(2).required(),
  /** Path of the selector as text, below `.spec` or `.status`; autoscaling needs it. */
  labelSelectorPath: t.string(3).explicit(),
}) {}

/** Sub-resources of one version. */
export class CustomResourceSubresources extends shape({
  /** When set, `/status` writes the status and nothing else does. */
  status: t.object(1, CustomResourceSubresourceStatus).explicit(),
  /** When set, `/scale` shows the object as a Scale. */
  scale: t.object(2, CustomResourceSubresourceScale).explicit(),
}) {}

/** A column of the table of objects. */
export class CustomResourceColumnDefinition extends shape({
  /** Heading. */
  name: t.string(1).required(),
  /** Type of the cells: `integer`, `number`, `string`, `boolean` or `date`. */
  type: t.string(2).required(),
  /** Format of the cells. */
  format: t.string(3),
  /** What the column shows. */
  description: t.string(4),
  /** 0 shows always, more in wide output only. */
  priority: t.int32(5),
  /** Path of the value in the object. */
  jsonPath: t.string(6).required(),
}) {}

/** One version of the objects. */
export class CustomResourceDefinitionVersion extends shape({
  /** Name of the version, such as `v1`. */
  name: t.string(1).required(),
  /** Whether it is served. */
  served: t.bool(2).required(),
  /** Whether objects are stored in it; exactly one is. */
  storage: t.bool(3).required(),
  /** Whether it is on its way out, of which clients are warned. */
  deprecated: t.bool(7),
  /** What to say instead of the standard warning. */
  deprecationWarning: t.string(8).explicit(),
  /** What its objects look like. */
  schema: t.object(4, CustomResourceValidation).explicit(),
  /** Its sub-resources. */
  subresources: t.object(5, CustomResourceSubresources).explicit(),
  /** Columns of its table, beside the name; the age unless set. */
  additionalPrinterColumns: t.list(6, CustomResourceColumnDefinition),
}) {}

/** Names of a kind. */
export class CustomResourceDefinitionNames extends shape({
  /** Plural, in lower case, as it stands in paths. */
  plural: t.string(1).required(),
  /** Singular, in lower case; the kind in lower case unless set. */
  singular: t.string(2),
  /** Shorter names for people. */
  shortNames: t.list(3, 'string'),
  /** The kind, as it stands in objects. */
  kind: t.string(4).required(),
  /** The kind of lists; the kind and `List` unless set. */
  listKind: t.string(5),
  /** Groups of resources that it is listed with. */
  categories: t.list(6, 'string'),
}) {}

/** What a custom resource is. */
export class CustomResourceDefinitionSpec extends shape({
  /** API group. */
  group: t.string(1).required(),
  /** Names of the kind. */
  names: t.object(3, CustomResourceDefinitionNames).required(),
  /** Whether objects are in namespaces: `Namespaced` or `Cluster`. */
  scope: t.string(4).required(),
  /** Versions of the objects. */
  versions: t.list(7, CustomResourceDefinitionVersion).required(),
  /** How objects are converted between versions; not at all unless set. */
  conversion: t.object(9, CustomResourceConversion).explicit(),
  /** No longer allowed: keeps fields that schemas do not name. */
  preserveUnknownFields: t.bool(10),
}) {}

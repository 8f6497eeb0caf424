/**
 * Types around objects: lists, Status, watch events, discovery. Only the OpenAPI documents need these declarations.
 */
import { ObjectMeta } from '../../meta/object-meta.ts'
import { Field, home, t } from '../../notation/shape.ts'

const { shape } = home('meta/v1')
const { shape: plain } = home('version')

/** Metadata of a list: its resource version and, for chunked lists, how to continue. */
export class ListMeta extends shape({
  /** Deprecated. The server never returns it. */
  selfLink: t.string(1),
  /** Opaque version of the collection at the time of the list. A watch can start from it. Read-only. */
  resourceVersion: t.string(2),
  /**
   * Token for the next chunk of a list that was limited; send it as the `continue` parameter. Empty on the last chunk.
   * It expires after a few minutes.
   */
  continue: t.string(3),
  /** Number of items that follow this chunk. An estimate, and unset if a selector is used or the number is unknown. */
  remainingItemCount: t.int64(4).explicit(),
}) {}

/** One cause of a failure; a request can fail for several of them. */
export class StatusCause extends shape({
  /** Machine-readable cause of the failure, such as `FieldValueInvalid`. */
  reason: t.string(1),
  /** Human-readable description of the cause. */
  message: t.string(2),
  /** Path of the field that caused the failure, such as `spec.items[0].name`. Empty if no single field did. */
  field: t.string(3),
}) {}

/** Object, causes and retry hint of a failed request. */
export class StatusDetails extends shape({
  /** Name of the object that the request was about. */
  name: t.string(1),
  /** API group of the resource that the request was about. */
  group: t.string(2),
  /** Kind or resource that the request was about. */
  kind: t.string(3),
  /** UID of the object that the request was about, if it is a single one. */
  uid: t.string(6),
  /** Individual causes of the failure, such as the invalid fields. */
  causes: t.list(4, StatusCause),
  /** Seconds to wait before the request is retried. Unset if a retry is not expected to help. */
  retryAfterSeconds: t.int32(5),
}) {}

/** Result of a request that does not return another object, such as an error. */
export class Status extends shape(
  {
    /** Standard metadata of a list. */
    metadata: t.object(1, ListMeta),
    /** Result of the request: `Success` or `Failure`. */
    status: t.string(2),
    /** Human-readable description of the result. */
    message: t.string(3),
    /** Machine-readable reason for a failure, such as `NotFound`. Empty if there is none. */
    reason: t.string(4),
    /** Additional data about the failure. Which fields are set depends on the reason. */
    details: t.object(5, StatusDetails).explicit(),
    /** HTTP status code of the response. 0 if unknown. */
    code: t.int32(6),
  },
  { typed: true },
) {}

/** One event of a watch: the type of the change and the object. */
export class WatchEvent extends shape({
  /** Type of the event: `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`. */
  type: t.string(1).required(),
  /**
   * The new state of the object for `ADDED` and `MODIFIED`, its last state for `DELETED`, an object with only a
   * resource version for `BOOKMARK`, or a Status for `ERROR`.
   */
  object: t.raw(2).required(),
}) {}

/** Server address for clients whose IP address is in a CIDR. */
export class ServerAddressByClientCIDR extends shape({
  /** CIDR that the IP address of the client is matched against. */
  clientCIDR: t.string(1).required(),
  /** Address of the server for these clients: a host name, an IP address, or either with a port. */
  serverAddress: t.string(2).required(),
}) {}

/** One version of an API group, in discovery. */
export class GroupVersionForDiscovery extends shape({
  /** API group and version in the form `group/version`. */
  groupVersion: t.string(1).required(),
  /** Version without the group, such as `v1`. */
  version: t.string(2).required(),
}) {}

/** Name, versions and preferred version of an API group. */
export class APIGroup extends shape(
  {
    /** Name of the API group, such as `apps`. */
    name: t.string(1).required(),
    /** Served versions of the group, the preferred one first. */
    versions: t.list(2, GroupVersionForDiscovery).required(),
    /** Version that clients use unless they need another one. */
    preferredVersion: t.object(3, GroupVersionForDiscovery),
    /** Server addresses by client CIDR; the most specific CIDR that matches applies. */
    serverAddressByClientCIDRs: t.list(4, ServerAddressByClientCIDR),
  },
  { typed: true },
) {}

/** List of the API groups under `/apis`. */
export class APIGroupList extends shape(
  {
    /** API groups that the server serves. The core group is not among them. */
    groups: t.list(1, APIGroup).required(),
  },
  { typed: true },
) {}

/** Versions of the core API group, served under `/api`. */
export class APIVersions extends shape(
  {
    /** Served versions of the core group. */
    versions: t.list(1, 'string').required(),
    /** Server addresses by client CIDR; the most specific CIDR that matches applies. */
    serverAddressByClientCIDRs: t.list(2, ServerAddressByClientCIDR).required(),
  },
  { typed: true },
) {}

// Declared as a message, which distinguishes an empty list from an absent one.
const strings = (number: number) => new Field<string[]>(number, { is: 'strings' }).explicit()

/** Name, scope, kind and verbs of a resource or subresource, in discovery. */
export class APIResource extends shape({
  /** Plural name of the resource as used in URLs; subresources are written `resource/subresource`. */
  name: t.string(1).required(),
  /** Singular name of the resource, accepted by clients on the command line. Empty for many built-in resources. */
  singularName: t.string(6).required(),
  /** True if objects of the resource are in namespaces, false if they are cluster-scoped. */
  namespaced: t.bool(2).required(),
  /** API group of the kind. Empty if it is the group of the resource list. */
  group: t.string(8),
  /** API version of the kind. Empty if it is the version of the resource list. */
  version: t.string(9),
  /** Kind of the objects that the resource accepts and returns. */
  kind: t.string(3).required(),
  /** Verbs that the resource supports, such as `get`, `list`, `watch`, `create` and `patch`. */
  verbs: strings(4).mandatory(),
  /** Abbreviations that clients accept for the resource, such as `deploy`. */
  shortNames: t.list(5, 'string'),
  /** Categories that the resource belongs to, such as `all`. */
  categories: t.list(7, 'string'),
  /**
   * Hash of the group, version and kind in which objects are stored. A change means that stored objects are to be
   * migrated.
   */
  storageVersionHash: t.string(10),
}) {}

/** List of the resources of one group version, in discovery. */
export class APIResourceList extends shape(
  {
    /** API group and version of the resources. */
    groupVersion: t.string(1).required(),
    /** Resources and subresources of the group version. */
    resources: t.list(2, APIResource).required(),
  },
  { typed: true },
) {}

/** Version of the running server and how it was built. */
export class Info extends plain({
  /** Major version of the release. */
  major: t.string(1).required(),
  /** Minor version of the release. */
  minor: t.string(2).required(),
  /** Full version of the release, such as `v1.25.0`. */
  gitVersion: t.string(3).required(),
  /** Git commit that the server was built from. */
  gitCommit: t.string(4).required(),
  /** State of the source tree at build time: `clean`, `dirty` or `archive`. */
  gitTreeState: t.string(5).required(),
  /** Build time in RFC 3339 format, UTC. */
  buildDate: t.string(6).required(),
  /** Version of the language runtime that executes the server. */
  goVersion: t.string(7).required(),
  /** Compiler or runtime that the server was built for. */
  compiler: t.string(8).required(),
  /** Operating system and architecture in the form `os/arch`. */
  platform: t.string(9).required(),
}) {}

/** Metadata of any object, without spec and status. */
export class PartialObjectMetadata extends shape(
  {
    /** Standard metadata of the object. */
    metadata: t.object(1, ObjectMeta),
  },
  { typed: true },
) {}

/** List of objects with only their metadata. */
export class PartialObjectMetadataList extends shape(
  {
    /** Standard metadata of the list. */
    metadata: t.object(1, ListMeta),
    /** Objects in the list, each with only its metadata. */
    items: t.list(2, PartialObjectMetadata).required(),
  },
  { typed: true },
) {}

/** Shapes that stand around objects: lists, answers, discovery. Documents alone need their declaration. */
import { ObjectMeta } from '../../meta/object-meta.ts'
import { Field, home, t } from '../../notation/shape.ts'

const { shape } = home('meta/v1')
const { shape: plain } = home('version')

/** What every list carries beside its items. */
export class ListMeta extends shape({
  /** No longer filled. */
  selfLink: t.string(1),
  /** Version of the state that the list shows; opaque. */
  resourceVersion: t.string(2),
  /** Set when there is more: send it as `continue` to get the next part. */
  continue: t.string(3),
  /** How many items follow after this part, where that is known. */
  remainingItemCount: t.int64(4).explicit(),
}) {}

/** One single reason of a failure. */
export class StatusCause extends shape({
  /** The reason as one word for programs. */
  reason: t.string(1),
  /** The reason for people. */
  message: t.string(2),
  /** Path of the field that is at fault, such as `spec.items[0].name`. */
  field: t.string(3),
}) {}

/** What a failure is about. */
export class StatusDetails extends shape({
  /** Name of the object. */
  name: t.string(1),
  /** Group of the resource. */
  group: t.string(2),
  /** Kind or resource that was asked for. */
  kind: t.string(3),
  /** uid of the object. */
  uid: t.string(6),
  /** Every single reason, where there are several. */
  causes: t.list(4, StatusCause),
  /** After how many seconds it makes sense to try again. */
  retryAfterSeconds: t.int32(5),
}) {}

/** How a call ended that answers with no object. */
export class Status extends shape(
  {
    /** Standard list metadata. */
    metadata: t.object(1, ListMeta),
    /** `Success` or `Failure`. */
    status: t.string(2),
    /** What happened, for people. */
    message: t.string(3),
    /** What happened, as one word for programs. */
    reason: t.string(4),
    /** What it is about; depends on the reason. */
    details: t.object(5, StatusDetails).explicit(),
    /** HTTP status code. */
    code: t.int32(6),
  },
  { typed: true },
) {}

/** One change that a watch tells. */
export class WatchEvent extends shape({
  /** `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`. */
  type: t.string(1).required(),
  /** The object after the change; before it when deleted; a Status for errors. */
  object: t.raw(2).required(),
}) {}

/** Address to use from inside one range of addresses. */
export class ServerAddressByClientCIDR extends shape({
  /** Range of the clients' addresses. */
  clientCIDR: t.string(1).required(),
  /** Host, or host and port, that these clients reach the server under. */
  serverAddress: t.string(2).required(),
}) {}

/** A version of a group. */
export class GroupVersionForDiscovery extends shape({
  /** Group and version, joined by a slash. */
  groupVersion: t.string(1).required(),
  /** The version alone. */
  version: t.string(2).required(),
}) {}

/** A group and the versions that it is served in. */
export class APIGroup extends shape(
  {
    /** Name of the group. */
    name: t.string(1).required(),
    /** Versions, the preferred one first. */
    versions: t.list(2, GroupVersionForDiscovery).required(),
    /** Version to use without a reason for another one. */
    preferredVersion: t.object(3, GroupVersionForDiscovery),
    /** Addresses of the server by where the client is. */
    serverAddressByClientCIDRs: t.list(4, ServerAddressByClientCIDR),
  },
  { typed: true },
) {}

/** All groups with a name. */
export class APIGroupList extends shape(
  {
    /** The groups. */
    groups: t.list(1, APIGroup).required(),
  },
  { typed: true },
) {}

/** Versions of the group without a name. */
export class APIVersions extends shape(
  {
    /** The versions. */
    versions: t.list(1, 'string').required(),
    /** Addresses of the server by where the client is. */
    serverAddressByClientCIDRs: t.list(2, ServerAddressByClientCIDR).required(),
  },
  { typed: true },
) {}

// A list that is a message of its own, and is told apart from none.
const strings = (number: number) => new Field<string[]>(number, { is: 'strings' }).explicit()

/** A resource or sub-resource. */
export class APIResource extends shape({
  /** Name in the URL: plural, with a sub-resource after a slash. */
  name: t.string(1).required(),
  /** The name for one object. */
  singularName: t.string(6).required(),
  /** Whether its objects live in namespaces. */
  namespaced: t.bool(2).required(),
  /** Group of the kind, where it is not that of the list. */
  group: t.string(8),
  /** Version of the kind, where it is not that of the list. */
  version: t.string(9),
  /** Kind that is sent and answered. */
  kind: t.string(3).required(),
  /** What can be done with it. */
  verbs: strings(4).mandatory(),
  /** Shorter names that clients take. */
  shortNames: t.list(5, 'string'),
  /** Sets of resources that it belongs to, such as `all`. */
  categories: t.list(7, 'string'),
  /** Changes when objects are stored in another version. */
  storageVersionHash: t.string(10),
}) {}

/** The resources of one group version. */
export class APIResourceList extends shape(
  {
    /** The group version. */
    groupVersion: t.string(1).required(),
    /** The resources. */
    resources: t.list(2, APIResource).required(),
  },
  { typed: true },
) {}

/** What the server says of its own release. */
export class Info extends plain({
  /** First number of the release. */
  major: t.string(1).required(),
  /** Second number of the release. */
  minor: t.string(2).required(),
  /** The whole version. */
  gitVersion: t.string(3).required(),
  /** Commit it was built of. */
  gitCommit: t.string(4).required(),
  /** Whether anything was changed beside the commit. */
  gitTreeState: t.string(5).required(),
  /** When it was built. */
  buildDate: t.string(6).required(),
  /** Version of the language it runs on. */
  goVersion: t.string(7).required(),
  /** What it was built with. */
  compiler: t.string(8).required(),
  /** System and processor. */
  platform: t.string(9).required(),
}) {}

/** An object shown by its metadata alone. */
export class PartialObjectMetadata extends shape(
  {
    /** The object's metadata. */
    metadata: t.object(1, ObjectMeta),
  },
  { typed: true },
) {}

/** A list of objects shown by their metadata alone. */
export class PartialObjectMetadataList extends shape(
  {
    /** What is known of the list itself. */
    metadata: t.object(1, ListMeta),
    /** The objects. */
    items: t.list(2, PartialObjectMetadata).required(),
  },
  { typed: true },
) {}

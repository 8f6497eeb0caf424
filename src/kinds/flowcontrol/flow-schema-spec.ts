import { home, t } from '../../notation/shape.ts'

const { shape } = home('flowcontrol.apiserver{api}/v1beta2')

/** Reference to a PriorityLevelConfiguration by its name. */
export class PriorityLevelConfigurationReference extends shape({
  /** Name of the PriorityLevelConfiguration. Required; it need not exist yet. */
  name: t.string(1).required(),
}) {}

/** How requests that match a FlowSchema are divided into flows. */
export class FlowDistinguisherMethod extends shape({
  /** Attribute that distinguishes flows: `ByUser` or `ByNamespace`. */
  type: t.string(1).required(),
}) {}

/** User that a rule applies to. */
export class UserSubject extends shape({
  /** Name of the user. `*` matches all users. */
  name: t.string(1).required(),
}) {}

/** Group of users that a rule applies to. */
export class GroupSubject extends shape({
  /** Name of the group. `*` matches all groups. */
  name: t.string(1).required(),
}) {}

/** Service account that a rule applies to. */
export class ServiceAccountSubject extends shape({
  /** Namespace of the service account. Required; `*` is not allowed. */
  namespace: t.string(1).required(),
  /** Name of the service account. `*` matches all service accounts in the namespace. */
  name: t.string(2).required(),
}) {}

/** Origin of a request. Exactly the field that `kind` names must be set. */
export class Subject extends shape({
  /** Kind of the subject: `User`, `Group` or `ServiceAccount`. */
  kind: t.string(1).required(),
  /** User to match. Required if `kind` is `User`. */
  user: t.object(2, UserSubject).explicit(),
  /** Group to match. Required if `kind` is `Group`. */
  group: t.object(3, GroupSubject).explicit(),
  /** Service account to match. Required if `kind` is `ServiceAccount`. */
  serviceAccount: t.object(4, ServiceAccountSubject).explicit(),
}) {}

/** Matches resource requests by verb, API group, resource and namespace; all of them must match. */
export class ResourcePolicyRule extends shape({
  /** Verbs to match; at least one. `*` matches all verbs and must be the only entry. */
  verbs: t.list(1, 'string').required().set(),
  /** API groups to match; at least one. `*` matches all groups and must be the only entry. */
  apiGroups: t.list(2, 'string').required().set(),
  /**
   * Resources to match; at least one. Subresources are written `resource/subresource`. `*` matches all and must be the
   * only entry.
   */
  resources: t.list(3, 'string').required().set(),
  /** If true, requests without a namespace match. If false, `namespaces` must not be empty. Defaults to false. */
  clusterScope: t.bool(4),
  /**
   * Namespaces of the requests to match. `*` matches all namespaces and must be the only entry. Requests without a
   * namespace match by `clusterScope` only.
   */
  namespaces: t.list(5, 'string').set(),
}) {}

/** Matches requests for URLs outside the resource API by verb and path. */
export class NonResourcePolicyRule extends shape({
  /** Verbs to match; at least one. `*` matches all verbs and must be the only entry. */
  verbs: t.list(1, 'string').required().set(),
  /**
   * URL paths to match; at least one. A path that ends in a slash and `*` matches all paths below it. `*` matches all
   * paths and must be the only entry.
   */
  nonResourceURLs: t.list(6, 'string').required().set(),
}) {}

/** Matches requests by subject and rule. A request matches if one of the subjects and one of the rules match. */
export class PolicyRulesWithSubjects extends shape({
  /** Subjects to match; at least one. */
  subjects: t.list(1, Subject).required().atomic(),
  /** Rules for resource requests. At least one resource or non-resource rule is required. */
  resourceRules: t.list(2, ResourcePolicyRule).atomic(),
  /** Rules for requests outside the resource API. */
  nonResourceRules: t.list(3, NonResourcePolicyRule).atomic(),
}) {}

/** Requests that a FlowSchema matches and their priority level. */
export class FlowSchemaSpec extends shape({
  /** Priority level that matching requests are assigned to. If it does not exist, the FlowSchema is ignored. */
  priorityLevelConfiguration: t.object(1, PriorityLevelConfigurationReference).required(),
  /**
   * Precedence among FlowSchemas, 1 to 10000: the schema with the lowest number that matches a request applies. 1 is
   * reserved for `exempt`. Defaults to 1000.
   */
  matchingPrecedence: t.int32(2),
  /** How matching requests are divided into flows. If unset, all of them form one flow. */
  distinguisherMethod: t.object(3, FlowDistinguisherMethod).explicit(),
  /** Rules that select requests; any of them may match. If empty, the schema matches no request. */
  rules: t.list(4, PolicyRulesWithSubjects).atomic(),
}) {}

import { home, t } from '../../notation/shape.ts'

const { shape } = home('flowcontrol.apiserver{api}/v1beta2')

/** A priority level by name. */
export class PriorityLevelConfigurationReference extends shape({
  /** Name of the priority level. */
  name: t.string(1).required(),
}) {}

/** How the requests of one schema are split into flows. */
export class FlowDistinguisherMethod extends shape({
  /** What makes a flow: `ByUser` or `ByNamespace`. */
  type: t.string(1).required(),
}) {}

/** A user by name. */
export class UserSubject extends shape({
  /** Name of the user; `*` is every user. */
  name: t.string(1).required(),
}) {}

/** A group of users by name. */
export class GroupSubject extends shape({
  /** Name of the group; `*` is every group. */
  name: t.string(1).required(),
}) {}

/** A service account. */
export class ServiceAccountSubject extends shape({
  /** Namespace of the account. */
  namespace: t.string(1).required(),
  /** Name of the account; `*` is every account of the namespace. */
  name: t.string(2).required(),
}) {}

/** Who asks: the one field that `kind` names. */
export class Subject extends shape({
  /** Which kind: `User`, `Group` or `ServiceAccount`. */
  kind: t.string(1).required(),
  /** A user. */
  user: t.object(2, UserSubject).explicit(),
  /** A group of users. */
  group: t.object(3, GroupSubject).explicit(),
  /** A service account. */
  serviceAccount: t.object(4, ServiceAccountSubject).explicit(),
}) {}

/** Requests for resources; all of its conditions must hold. */
export class ResourcePolicyRule extends shape({
  /** Verbs; `*` by itself is all. */
  verbs: t.list(1, 'string').required().set(),
  /** API groups; `*` by itself is all. */
  apiGroups: t.list(2, 'string').required().set(),
  /** Resources, with sub-resources as `pods/log`; `*` by itself is all. */
  resources: t.list(3, 'string').required().set(),
  /** Whether requests without a namespace match. */
  clusterScope: t.bool(4),
  /** Namespaces; `*` by itself is all. */
  namespaces: t.list(5, 'string').set(),
}) {}

/** Requests for paths that are no resources. */
export class NonResourcePolicyRule extends shape({
  /** Verbs; `*` by itself is all. */
  verbs: t.list(1, 'string').required().set(),
  /** Paths; one that ends in `/*` stands for all below it, `*` by itself for all. */
  nonResourceURLs: t.list(6, 'string').required().set(),
}) {}

/** Who asks for what: a subject and a rule of either kind must match. */
export class PolicyRulesWithSubjects extends shape({
  /** Who asks; one of them must match. */
  subjects: t.list(1, Subject).required().atomic(),
  /** Requests for resources. */
  resourceRules: t.list(2, ResourcePolicyRule).atomic(),
  /** Requests for other paths. */
  nonResourceRules: t.list(3, NonResourcePolicyRule).atomic(),
}) {}

/** Which requests a schema takes, and where they go. */
export class FlowSchemaSpec extends shape({
  /** Priority level of the requests. */
  priorityLevelConfiguration: t.object(1, PriorityLevelConfigurationReference).required(),
  /** Place among the schemas, 1 to 10000: the lowest that matches takes a request. 1000 unless set. */
  matchingPrecedence: t.int32(2),
  /** How requests are split into flows; all are one flow unless set. */
  distinguisherMethod: t.object(3, FlowDistinguisherMethod).explicit(),
  /** Requests that it takes; none without rules. */
  rules: t.list(4, PolicyRulesWithSubjects).atomic(),
}) {}

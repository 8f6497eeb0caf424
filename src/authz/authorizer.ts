/** The user of a request. */
export interface Subject {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Subject matter of a decision. */
export interface Attributes {
  readonly isResource: boolean
  /** API verb, or the lower-case HTTP method outside of resources. */
  readonly verb: string
  /** Of the request; empty in reviews of resources. */
  readonly path: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  /** Empty at the cluster scope. */
  readonly namespace: string
  readonly name: string
}

/** Attributes of a request that its connection may repeat, with a place for what decided about them. */
export interface RepeatedAttributes extends Attributes {
  readonly memory?: AttributesMemory | undefined
}

/** What is kept of the last decision about attributes. */
export interface AttributesMemory {
  /** The very object that it is about: a changed copy of it has another meaning, and no memory. */
  readonly info: Attributes
  /** Of the authorizer that allowed it; null: none did, or none remembers. */
  grant: object | null
}

/** Decision of one authorizer, or all of them, on a request. */
export interface Decision {
  readonly verdict: 'allow' | 'deny' | 'no opinion'
  /** Empty when there is none. */
  readonly reason: string
  /** Error on the way, when that matters to the response. */
  readonly error?: string
}

/** The decision of a module that has nothing to say. */
export const NO_OPINION: Decision = Object.freeze({ verdict: 'no opinion', reason: '' })

/** Permissions of a user on resources, one entry for each rule; lists as RBAC rules have them. */
export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
}

/** Permissions of a user outside of resources. */
export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

/** All that an authorizer would allow a user in a namespace. */
export interface RuleList {
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly NonResourceRule[]
  /** Whether there may be more that cannot be listed. */
  readonly incomplete: boolean
  /** Empty when nothing went wrong. */
  readonly error: string
}

/** One module of the authorization mode list. Synchronous decisions cost the request no promise. */
export interface Authorizer {
  readonly name: string
  authorize(user: Subject, attributes: RepeatedAttributes): Decision | Promise<Decision>
  rulesFor(user: Subject, namespace: string): RuleList | Promise<RuleList>
}

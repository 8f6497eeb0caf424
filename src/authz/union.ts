/** Several authorizers as one. */
import { aggregate } from './aggregate.ts'
import {
  NO_OPINION,
  type Attributes,
  type Authorizer,
  type Decision,
  type NonResourceRule,
  type ResourceRule,
  type RuleList,
  type Subject,
} from './authorizer.ts'
import { isPrivileged } from './subjects.ts'

const PRIVILEGED: Decision = Object.freeze({ verdict: 'allow', reason: '' })

/**
 * Calls the modules in order; the first that allows or denies decides. The privileged group may do everything before
 * any module is called, which lists of rules do not show. Synchronous as long as the modules are.
 */
export function authorizerUnion(modules: readonly Authorizer[]): Authorizer {
  return {
    name: 'union',
    authorize(user, attributes) {
      if (isPrivileged(user)) return PRIVILEGED
      for (let i = 0; i < modules.length; i++) {
        const decision = modules[i]!.authorize(user, attributes)
        if (decision === NO_OPINION) continue
        if (decision instanceof Promise || decision.verdict === 'no opinion')
          return new UnionDecision(modules, user, attributes).after(i, decision)
        return decision
      }
      return NO_OPINION
    },
    rulesFor(user, namespace) {
      const lists = modules.map((module) => module.rulesFor(user, namespace))
      return lists.some((list) => list instanceof Promise)
        ? Promise.all(lists.map((list) => Promise.resolve(list))).then(joined)
        : joined(lists as RuleList[])
    },
  }
}

/** One request on its way through the modules. */
class UnionDecision {
  readonly #modules: readonly Authorizer[]
  readonly #user: Subject
  readonly #attributes: Attributes
  #reasons: string[] | null = null
  #errors: string[] | null = null

  constructor(modules: readonly Authorizer[], user: Subject, attributes: Attributes) {
    this.#modules = modules
    this.#user = user
    this.#attributes = attributes
  }

  /** The decision, when that of one module is known and those before it were no opinion without a reason. */
  after(at: number, decision: Decision | Promise<Decision>): Decision | Promise<Decision> {
    if (decision instanceof Promise)
      return decision.then((decision) => this.#settled(decision) ?? this.#from(at + 1))
    return this.#settled(decision) ?? this.#from(at + 1)
  }

  #from(first: number): Decision | Promise<Decision> {
    for (let i = first; i < this.#modules.length; i++) {
      const decision = this.#modules[i]!.authorize(this.#user, this.#attributes)
      if (decision instanceof Promise) return this.after(i, decision)
      const settled = this.#settled(decision)
      if (settled) return settled
    }
    if (!this.#reasons && !this.#errors) return NO_OPINION
    const reason = this.#reasons?.join('\n') ?? ''
    return this.#errors
      ? { verdict: 'no opinion', reason, error: aggregate(this.#errors) }
      : { verdict: 'no opinion', reason }
  }

  #settled(decision: Decision): Decision | null {
    if (decision.verdict !== 'no opinion') return decision
    if (decision.reason !== '') (this.#reasons ??= []).push(decision.reason)
    if (decision.error !== undefined) (this.#errors ??= []).push(decision.error)
    return null
  }
}

function joined(lists: readonly RuleList[]): RuleList {
  const resourceRules: ResourceRule[] = []
  const nonResourceRules: NonResourceRule[] = []
  const errors: string[] = []
  let incomplete = false
  for (const list of lists) {
    resourceRules.push(...list.resourceRules)
    nonResourceRules.push(...list.nonResourceRules)
    incomplete ||= list.incomplete
    if (list.error !== '') errors.push(list.error)
  }
  const error = errors.length === 0 ? '' : aggregate(errors)
  return { resourceRules, nonResourceRules, incomplete, error }
}

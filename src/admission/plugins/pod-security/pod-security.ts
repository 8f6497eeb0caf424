import { internalError, invalid } from '../../../meta/errors.ts'
import type { Namespace } from '../../../kinds/core/namespace.ts'
import type { Pod } from '../../../kinds/core/pod/pod.ts'
import type { Typed } from '../../../meta/object-meta.ts'
import type { Attributes } from '../../attributes.ts'
import { type NowOrLater, objectNamed, whenKnown } from '../../now-or-later.ts'
import type { Plugin, PluginDeps, PluginFactory, PluginResource } from '../../plugin.ts'
import { refusalOf } from '../../refusal.ts'
import type { CheckedPod } from './check.ts'
import {
  DEFAULT_CONFIGURATION,
  decodeConfiguration,
  type PodSecurityConfiguration,
} from './configuration.ts'
import { needsEvaluation } from './pod-change.ts'
import { SecurityMetrics } from './security-metrics.ts'
import { podOf, RESOURCES_WITH_TEMPLATES, templateOf, type FoundPod } from './pod-templates.ts'
import {
  isEquivalent,
  isPrivileged,
  isRelaxed,
  labelledPolicy,
  levelText,
  policyText,
  sameLevel,
  type LabelledPolicy,
  type LevelVersion,
  type Policy,
} from './policy.ts'

/** Annotations of the audit record. */
const ANNOTATIONS = {
  exempt: 'pod-security.{label}/exempt',
  error: 'pod-security.{label}/error',
  'enforce-policy': 'pod-security.{label}/enforce-policy',
  'audit-violations': 'pod-security.{label}/audit-violations',
} as const

const NAMESPACES = { group: '', resource: 'namespaces' }

/** Pods. Their other sub-resources cannot change what is checked. */
const PODS: readonly PluginResource[] = [
  { group: '', resource: 'pods' },
  { group: '', resource: 'pods', subresource: 'ephemeralcontainers' },
]

/**
 * Refuses, records or warns about pods that violate the pod security level of their namespace, which its labels
 * set. Templates of pods are recorded and warned about only.
 */
export const podSecurity: PluginFactory<PodSecurityConfiguration> = {
  name: 'PodSecurity',
  defaultOn: true,
  decodeConfig: decodeConfiguration,
  create: (deps, configuration = DEFAULT_CONFIGURATION) => new PodSecurity(deps, configuration),
}

/** The policy of a namespace. */
interface KnownPolicy extends LabelledPolicy {
  /** The text of the level that is enforced, where nothing is ever said about pods; else null. */
  readonly silently: string | null
}

class PodSecurity implements Plugin {
  readonly resources = [...PODS, NAMESPACES, ...RESOURCES_WITH_TEMPLATES]
  readonly #deps: PluginDeps
  readonly #configuration: PodSecurityConfiguration
  readonly #metrics: SecurityMetrics
  /** Policies of namespaces as they are at the moment. */
  readonly #policies = new WeakMap<Typed, KnownPolicy>()
  readonly #keys: Readonly<Record<keyof typeof ANNOTATIONS, string>>
  #checks: ReturnType<typeof loadChecks> | null = null

  constructor(deps: PluginDeps, configuration: PodSecurityConfiguration) {
    this.#deps = deps
    this.#configuration = configuration
    this.#metrics = new SecurityMetrics(deps.metrics)
    const entries = Object.entries(ANNOTATIONS).map(([name, key]) => [name, deps.v.resolve(key)])
    this.#keys = Object.fromEntries(entries) as Record<keyof typeof ANNOTATIONS, string>
  }

  handles(operation: Attributes['operation']): boolean {
    return operation === 'CREATE' || operation === 'UPDATE'
  }

  /** Where templates are neither recorded nor warned about. */
  passesAgain({ resource, namespace }: Attributes): NowOrLater<boolean> {
    if (!templateOf(resource)) return false
    return whenKnown(
      this.#policyIn(namespace),
      (labelled) => labelled !== null && isSilent(labelled, ['audit', 'warn']),
    )
  }

  validate(attributes: Attributes): void | Promise<void> {
    const { resource } = attributes
    const template = templateOf(resource)
    if (template) {
      return this.#validateTemplate(attributes, () => podOf(template(attributes.object!.live)))
    }
    return resource.resource === 'pods'
      ? this.#validatePod(attributes)
      : this.#validateNamespace(attributes)
  }

  #validateNamespace(attributes: Attributes): void | Promise<void> {
    const { object, oldObject, name } = attributes
    const next = this.#read(object!.live)
    const old = oldObject && this.#read(oldObject.live)
    if (next.errors.list.length > 0 && !(old && sameErrors(next, old))) {
      throw invalid({ group: '', kind: 'Namespace' }, name, next.errors.list)
    }
    const { enforce } = next.policy
    if (old) {
      const before = old.policy.enforce
      if (sameLevel(enforce, before) || enforce.level === 'privileged') return
      if (enforce.version === before.version && isRelaxed(enforce.level, before.level)) return
    }
    if (this.#configuration.exemptions.namespaces.has(name)) {
      return this.#warnAboutExemption(attributes, next.policy)
    }
    if (old) return this.#warnAboutPods(attributes, enforce)
  }

  #warnAboutExemption(attributes: Attributes, policy: Policy): void {
    if (isPrivileged(policy) || isEquivalent(policy, this.#configuration.defaults)) return
    attributes.warn(
      `namespace ${JSON.stringify(attributes.name)} is exempt from Pod Security, and the policy (${policyText(policy)}) will be ignored`,
    )
  }

  async #warnAboutPods(attributes: Attributes, level: LevelVersion): Promise<void> {
    const { existingPodWarnings } = await import('./existing-pods.ts')
    const warnings = await existingPodWarnings(this.#deps, {
      namespace: attributes.name,
      level,
      isExempt: ({ spec }) => this.#isExemptClass(spec.runtimeClassName),
      deadline: attributes.deadline,
    })
    for (const warning of warnings) attributes.warn(warning)
  }

  #validatePod(attributes: Attributes): NowOrLater<void> {
    if (this.#isExempt(attributes)) return
    return whenKnown(this.#policyIn(attributes.namespace), (labelled) => {
      if (labelled) return this.#validatePodBy(labelled, attributes)
      throw internalError(`failed to lookup namespace ${JSON.stringify(attributes.namespace)}`)
    })
  }

  #validatePodBy(labelled: KnownPolicy, attributes: Attributes): NowOrLater<void> {
    const { policy, silently } = labelled
    if (silently !== null) {
      this.#annotate(attributes, 'enforce-policy', silently)
      this.#metrics.evaluated(attributes, 'enforce', policy.enforce, true)
      return
    }
    const { metadata, spec } = attributes.object!.live as Pod
    const old = attributes.oldObject?.live as Pod | undefined
    if (old && !needsEvaluation(attributes.object!.live as Pod, old, this.#deps.v)) return
    return this.#evaluate(attributes, { annotations: metadata.annotations, spec }, labelled, true)
  }

  #validateTemplate(attributes: Attributes, find: () => FoundPod | null): NowOrLater<void> {
    if (this.#isExempt(attributes)) return
    return whenKnown(this.#policyIn(attributes.namespace), (labelled) => {
      if (!labelled) {
        const name = JSON.stringify(attributes.namespace)
        const why = `failed to lookup namespace ${name}: namespace ${name} not found`
        return this.#annotate(attributes, 'error', why)
      }
      if (isSilent(labelled, ['audit', 'warn'])) return
      const pod = find()
      if (pod) return this.#evaluate(attributes, pod, labelled, false)
    })
  }

  /** Evaluates a pod in all modes; only with `enforce` it can be refused. */
  async #evaluate(
    attributes: Attributes,
    { annotations, spec }: FoundPod,
    { policy, errors }: LabelledPolicy,
    enforce: boolean,
  ): Promise<void> {
    if (this.#isExemptClass(spec.runtimeClassName)) {
      this.#metrics.exempted(attributes)
      return this.#annotate(attributes, 'exempt', 'runtimeClass')
    }
    const { detailsText, violationsOf, checkedPod } = await this.#loaded()
    if (errors.list.length > 0) {
      this.#annotate(attributes, 'error', `Failed to parse policy: ${errorsText(errors.list)}`)
    }
    const pod: CheckedPod = checkedPod(annotations, spec, this.#deps.v)
    const violationText = (level: LevelVersion): string | null => {
      const found = violationsOf(pod, level)
      return found.length === 0
        ? null
        : `PodSecurity ${JSON.stringify(levelText(level))}: ${detailsText(found)}`
    }
    if (enforce) this.#annotate(attributes, 'enforce-policy', levelText(policy.enforce))
    const metrics = this.#metrics
    const refused = enforce ? violationText(policy.enforce) : null
    if (enforce) metrics.evaluated(attributes, 'enforce', policy.enforce, refused === null)
    const audited = violationText(policy.audit)
    if (audited !== null) {
      this.#annotate(attributes, 'audit-violations', `would violate ${audited}`)
      metrics.evaluated(attributes, 'audit', policy.audit, false)
    }
    if (refused !== null) throw refusalOf(attributes, `violates ${refused}`)
    const warned = violationText(policy.warn)
    if (warned === null) return
    attributes.warn(`would violate ${warned}`)
    metrics.evaluated(attributes, 'warn', policy.warn, false)
  }

  /** The checks, which are loaded with the first pod that needs them. */
  #loaded(): ReturnType<typeof loadChecks> {
    return (this.#checks ??= loadChecks())
  }

  /** Whether namespace or user are exempt, which the audit record says then. */
  #isExempt(attributes: Attributes): boolean {
    const { namespaces, usernames } = this.#configuration.exemptions
    if (namespaces.has(attributes.namespace)) {
      this.#annotate(attributes, 'exempt', 'namespace')
      this.#metrics.exempted(attributes)
      return true
    }
    if (!usernames.has(attributes.user.name)) return false
    this.#annotate(attributes, 'exempt', 'user')
    this.#metrics.exempted(attributes)
    return true
  }

  #isExemptClass(name: string | undefined): boolean {
    return name !== undefined && this.#configuration.exemptions.runtimeClasses.has(name)
  }

  #policyIn(name: string): NowOrLater<KnownPolicy | null> {
    const found = objectNamed<Namespace>(this.#deps.objects, NAMESPACES, { name })
    return found instanceof Promise
      ? found.then((one) => this.#policyOf(one))
      : this.#policyOf(found)
  }

  #policyOf(namespace: Namespace | null): KnownPolicy | null {
    if (!namespace) return null
    let known = this.#policies.get(namespace)
    if (!known) {
      const labelled = this.#read(namespace)
      const silently = isSilent(labelled) ? levelText(labelled.policy.enforce) : null
      this.#policies.set(namespace, (known = { ...labelled, silently }))
    }
    return known
  }

  #read({ metadata: { labels = {} } }: Typed): LabelledPolicy {
    return labelledPolicy(labels, this.#configuration.defaults, this.#deps.v)
  }

  #annotate(attributes: Attributes, name: keyof typeof ANNOTATIONS, value: string): void {
    attributes.annotate(this.#keys[name], value)
  }
}

async function loadChecks() {
  const [{ detailsText, violationsOf }, { checkedPod }] = await Promise.all([
    import('./evaluation.ts'),
    import('./check.ts'),
  ])
  return { detailsText, violationsOf, checkedPod }
}

/** Whether a policy without faults lets everything pass in these modes. */
const isSilent = ({ policy, errors }: LabelledPolicy, modes?: Parameters<typeof isPrivileged>[1]) =>
  errors.list.length === 0 && isPrivileged(policy, modes)

type Faults = LabelledPolicy['errors']['list']

function sameErrors({ errors: a }: LabelledPolicy, { errors: b }: LabelledPolicy): boolean {
  return errorsText(a.list) === errorsText(b.list)
}

function errorsText(errors: Faults): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))]
  return texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`
}

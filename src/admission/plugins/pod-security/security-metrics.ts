import {
  podSecurityEvaluations,
  podSecurityExemptions,
} from '../../../metrics/declared/admission.ts'
import type { Registry } from '../../../metrics/registry.ts'
import type { Attributes } from '../../attributes.ts'
import { levelText, type LevelVersion } from './policy.ts'

/** Counts what pod security finds. */
export class SecurityMetrics {
  readonly #registry: Registry | null

  constructor(registry: Registry | undefined) {
    this.#registry = registry ?? null
  }

  evaluated(
    attributes: Attributes,
    mode: 'enforce' | 'audit' | 'warn',
    level: LevelVersion,
    isAllowed: boolean,
  ): void {
    const [policy_level = '', policy_version = ''] = levelText(level).split(':')
    this.#registry
      ?.of(podSecurityEvaluations)
      .with({
        ...labelsOf(attributes),
        decision: isAllowed ? 'allow' : 'deny',
        ...{ mode, policy_level, policy_version },
      })
      .inc()
  }

  exempted(attributes: Attributes): void {
    this.#registry?.of(podSecurityExemptions).with(labelsOf(attributes)).inc()
  }
}

const labelsOf = ({ operation, resource, subresource }: Attributes) => ({
  request_operation: operation.toLowerCase(),
  resource: resource.resource === 'pods' ? 'pod' : 'controller',
  subresource,
})

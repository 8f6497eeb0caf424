/** The plugins that ask webhooks of users. */
import { clusterIpResolver } from '../../client/service-address.ts'
import type { HostCredentials } from '../../client/host-credentials.ts'
import { WebhookClients } from '../../client/webhook-clients.ts'
import { describeAnswer } from '../webhooks/answer-text.ts'
import { OPERATIONS, type Attributes } from '../attributes.ts'
import type { Plugin, PluginDeps, PluginFactory } from '../plugin.ts'
import type { Candidate } from '../webhooks/hook-index.ts'
import { HookSource } from '../webhooks/hook-source.ts'
import { WebhookMetrics } from '../webhooks/webhook-metrics.ts'
import { readWebhookConfiguration } from '../webhooks/webhook-configuration.ts'

/** Bytes of a response: room for a patch in base64 that replaces the largest object. */
const MAX_ANSWER_BYTES = 5 << 20

/** Configuration of both plugins. */
export interface AdmissionWebhooksConfig {
  /** Credentials for webhooks by their host; null for none. */
  readonly credentials: HostCredentials | null
}

const MUTATING = 'mutatingwebhookconfigurations'
const VALIDATING = 'validatingwebhookconfigurations'

/** Calls mutating webhooks. */
export const mutatingAdmissionWebhook: PluginFactory<AdmissionWebhooksConfig> = {
  name: 'MutatingAdmissionWebhook',
  defaultOn: true,
  decodeConfig: readWebhookConfiguration,
  create(deps, config) {
    const { find, parts, plugin } = hooked(deps, MUTATING, config)
    let call: typeof import('../webhooks/mutate.ts').callMutating | null = null
    return {
      ...plugin,
      mutate(attributes) {
        const found = find(attributes)
        if (found.length === 0) return undefined
        if (call) return call(parts, found, attributes)
        return import('../webhooks/mutate.ts').then(({ callMutating }) => {
          call = callMutating
          return callMutating(parts, found, attributes)
        })
      },
    }
  },
}

/** Calls validating webhooks. */
export const validatingAdmissionWebhook: PluginFactory<AdmissionWebhooksConfig> = {
  name: 'ValidatingAdmissionWebhook',
  defaultOn: true,
  decodeConfig: readWebhookConfiguration,
  create(deps, config) {
    const { find, parts, plugin } = hooked(deps, VALIDATING, config)
    let call: typeof import('../webhooks/validate.ts').callValidating | null = null
    return {
      ...plugin,
      validate(attributes) {
        const found = find(attributes)
        if (found.length === 0) return undefined
        if (call) return call(parts, found, attributes)
        return import('../webhooks/validate.ts').then(({ callValidating }) => {
          call = callValidating
          return callValidating(parts, found, attributes)
        })
      },
    }
  },
}

const NONE: readonly Candidate[] = []

/** What both plugins have in common. */
function hooked(deps: PluginDeps, resource: string, config: AdmissionWebhooksConfig | undefined) {
  const { v, clock, ids, log, objects, catalogue } = deps
  const group = v.resolve('admissionregistration{api}')
  const source = new HookSource(objects, catalogue, { group, resource })
  const { credentials = null } = config ?? {}
  const clients = new WebhookClients({
    v,
    clock,
    resolve: deps.resolve ?? clusterIpResolver(objects),
    egress: deps.egress,
    userAgent: v.resolve('{system}-apiserver-admission'),
    maxAnswerBytes: MAX_ANSWER_BYTES,
    describeAnswer,
    onCall: deps.onCall,
    metrics: deps.metrics,
    ...(credentials ? { credentials: (host, port) => credentials.of(host, port) } : {}),
  })
  const auditDomain = v.resolve('webhook.admission{api}')
  const type = resource === MUTATING ? 'admit' : 'validating'
  const metrics = deps.metrics ? new WebhookMetrics(deps.metrics, type) : null
  const parts = { v, clock, ids, log, objects, clients, auditDomain, metrics }
  const plugin: Plugin = {
    handles: (operation) => OPERATIONS.includes(operation),
    ready: () => source.ready(),
    async close() {
      clients.close()
      await source.close()
    },
  }
  const passesAgain = (attributes: Attributes) => find(attributes).length === 0
  const find = (attributes: Attributes): readonly Candidate[] => {
    const found = source.index().candidates(attributes)
    return found.length > 0 && isConfiguration(attributes, group) ? NONE : found
  }
  return { find, parts, plugin: { ...plugin, passesAgain, keepsParts: true as const } }
}

/** Webhooks decide about everything but themselves: a broken one could not be repaired. */
const isConfiguration = ({ requestResource }: Attributes, group: string): boolean =>
  requestResource.group === group && [MUTATING, VALIDATING].includes(requestResource.resource)

/** Opens the audit that options describe. */
import { AuditTrail } from '../audit/audit-trail.ts'
import { MODES, type Backend } from '../audit/backend.ts'
import type { BatchOptions } from '../audit/batches.ts'
import { AuditCounters } from '../audit/counters.ts'
import { LogBackend } from '../audit/log-backend.ts'
import { LogFile } from '../audit/log-file.ts'
import { PolicyRules } from '../audit/policy-rules.ts'
import { readPolicy } from '../audit/policy.ts'
import { standardOutput } from '../audit/standard-output.ts'
import type { TruncationOptions } from '../audit/truncation.ts'
import { WebhookBackend } from '../audit/webhook-backend.ts'
import type { Clock } from '../base/clock.ts'
import type { Dial } from '../base/dial.ts'
import type { Ids } from '../base/ids.ts'
import { readFlagFile } from '../base/flag-file.ts'
import type { Log } from '../base/log.ts'
import { forFlag, forFlagSync, plainMessage } from '../base/plain-reason.ts'
import { openJsonClient } from '../client/json-call.ts'
import { loadKubeconfig } from '../client/kubeconfig.ts'
import type { Registry } from '../metrics/registry.ts'
import { auditMetrics } from './metrics/audit-metrics.ts'
import { parseYaml } from '../codec/yaml.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type {
  AuditBackendOptions,
  AuditLogOptions,
  AuditOptions,
  AuditWebhookOptions,
} from './options/audit-options.ts'

interface Opening {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly metrics: Registry
  /** Opens connections to the webhook; without it the platform does. */
  readonly through?: Dial | undefined
}

type BackendName = Backend['name']

/** Opens policy and backends; null when nothing is recorded. Throws an Error that names flags. */
export async function openAudit(
  options: AuditOptions,
  opening: Opening,
): Promise<AuditTrail | null> {
  const { clock, log, v } = opening
  const rules = await policyRules(options.policyFile ?? '', opening)
  const counters = new AuditCounters(clock, log)
  auditMetrics(opening.metrics, counters)
  const { log: toFile, webhook } = options
  if (toFile) checkBackend('log', toFile, v)
  if (webhook) checkBackend('webhook', webhook, v)
  if (rules === null) {
    log.warn('no audit policy file is given: no requests are recorded')
    return null
  }
  const backends: Backend[] = []
  try {
    // A webhook that cannot be opened leaves no file behind.
    if (webhook) backends.push(await webhookBackend(webhook, counters, opening))
    if (toFile) backends.unshift(logBackend(toFile, counters, opening))
  } catch (error) {
    for (const backend of backends) await backend.close()
    throw error
  }
  return backends.length === 0 ? null : new AuditTrail({ rules, backends, counters, clock, v })
}

async function policyRules(path: string, { v, log }: Opening): Promise<PolicyRules | null> {
  if (path === '') return null
  const flag = 'audit-policy-file'
  const text = await readFlagFile(flag, path)
  return forFlag(flag, async () => {
    try {
      const { policy, unknown } = readPolicy(await parseYaml(text), v)
      if (unknown.length > 0) {
        log.warn('the audit policy has unknown fields, which are ignored', {
          path,
          fields: unknown.join(', '),
        })
      }
      return new PolicyRules(policy)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(`loading audit policy file: ${why}: from file ${path}`, { cause: error })
    }
  })
}

function checkBackend(
  name: BackendName,
  { version = '', batch, truncate, mode }: AuditBackendOptions,
  v: Vocabulary,
): void {
  const known = v.resolve('audit{api}/v1')
  const fail = (flag: string, why: string) => {
    throw new Error(`--audit-${name}-${flag} ${why}`)
  }
  if (version !== '' && version !== known) {
    fail('version', `${JSON.stringify(version)} is unknown; allowed versions are ${known}`)
  }
  const throttle = throttleOf(name, batch)
  if ((mode ?? DEFAULTS[name].mode) === 'batch' && throttle !== null) {
    if (throttle.qps <= 0) fail('batch-throttle-qps', 'must be a positive number')
    if (throttle.burst < 1) fail('batch-throttle-burst', 'must be at least 1')
  }
  const { maxEventBytes, maxBatchBytes } = truncationOf(truncate)
  if (truncate?.enabled === true && maxBatchBytes < maxEventBytes) {
    fail('truncate-max-batch-size', `must not be less than --audit-${name}-truncate-max-event-size`)
  }
}

const DEFAULTS = {
  log: { mode: MODES[1], maxSize: 1, maxWaitMs: 0, throttle: false, qps: 0, burst: 0 },
  webhook: { mode: MODES[0], maxSize: 400, maxWaitMs: 30_000, throttle: true, qps: 10, burst: 15 },
} as const

const BUFFER_SIZE = 10_000
const INITIAL_BACKOFF_MS = 10_000

function throttleOf(name: BackendName, batch: AuditBackendOptions['batch']) {
  const defaults = DEFAULTS[name]
  if (!(batch?.throttle ?? defaults.throttle)) return null
  return { qps: batch?.qps ?? defaults.qps, burst: batch?.burst ?? defaults.burst }
}

const batchOf = (name: BackendName, batch: AuditBackendOptions['batch']): BatchOptions => ({
  bufferSize: batch?.bufferSize ?? BUFFER_SIZE,
  maxSize: batch?.maxSize ?? DEFAULTS[name].maxSize,
  maxWaitMs: batch?.maxWaitMs ?? DEFAULTS[name].maxWaitMs,
  throttle: throttleOf(name, batch),
})

const truncationOf = (truncate: AuditBackendOptions['truncate']): TruncationOptions => ({
  maxEventBytes: truncate?.maxEventBytes ?? 102_400,
  maxBatchBytes: truncate?.maxBatchBytes ?? 10_485_760,
})

const commonOf = (name: BackendName, { mode, batch, truncate }: AuditBackendOptions) => ({
  mode: mode ?? DEFAULTS[name].mode,
  batch: batchOf(name, batch),
  truncation: truncate?.enabled === true ? truncationOf(truncate) : null,
})

function logBackend(
  options: AuditLogOptions,
  losses: AuditCounters,
  { clock, log }: Opening,
): LogBackend {
  const { path, maxAgeDays = 0, maxBackups = 0, maxSizeMb = 0, compress = false } = options
  const onFault = (error: unknown) =>
    log.warn('older audit logs were not tidied up', { error: plainMessage(error) })
  const sink =
    path === '-'
      ? standardOutput
      : forFlagSync(
          `audit-log-path: cannot open ${path}`,
          () =>
            new LogFile({ path, maxAgeDays, maxBackups, maxSizeMb, compress }, { clock, onFault }),
        )
  return new LogBackend(
    {
      ...commonOf('log', options),
      format: options.format ?? 'json',
      joinsLines: options.joinLines ?? true,
    },
    { sink, clock, losses },
  )
}

async function webhookBackend(
  options: AuditWebhookOptions,
  losses: AuditCounters,
  { v, clock, ids, metrics, through }: Opening,
): Promise<WebhookBackend> {
  const client = await forFlag('audit-webhook-config-file', async () =>
    openJsonClient({
      config: await loadKubeconfig(options.configFile),
      v,
      clock,
      ids,
      attempts: 1,
      metrics,
      through,
    }),
  )
  return new WebhookBackend(
    {
      ...commonOf('webhook', options),
      initialBackoffMs: options.initialBackoffMs ?? INITIAL_BACKOFF_MS,
      apiVersion: v.resolve('audit{api}/v1'),
    },
    { client, clock, ids, losses },
  )
}

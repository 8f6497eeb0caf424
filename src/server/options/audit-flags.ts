import {
  boolFlag,
  choiceFlag,
  durationFlag,
  fileFlag,
  intFlag,
  onFlag,
  optionalTextFlag,
  orNone,
  type Flag,
  type Flags,
  type Values,
} from '../../flags/flags.ts'
import { MAX_INTEGER, rateFlag } from './rate-flag.ts'
import type { AuditBackendOptions, AuditOptions } from './audit-options.ts'

const section = 'Auditing'
const FORMATS = ['json', 'legacy'] as const
const MODES = ['batch', 'blocking', 'blocking-strict'] as const

type Backend = 'log' | 'webhook'

const positive = (about: { option: string; default: string; help: string }): Flag<number> =>
  intFlag({ min: 1, max: MAX_INTEGER }, { section, ...about })
const natural = (about: { option: string; default: string; help: string }): Flag<number> =>
  intFlag({ min: 0, max: MAX_INTEGER }, { section, ...about })

interface Defaults {
  readonly mode: (typeof MODES)[number]
  readonly maxSize: string
  readonly maxWait: string
  readonly qps: string
  readonly burst: string
  readonly throttle: boolean
}

/** Flags that both backends have. */
const commonFlags = (backend: Backend, defaults: Defaults) => ({
  ...modeFlags(backend, defaults),
  ...batchFlags(backend, defaults),
  ...truncateFlags(backend),
})

const modeFlags = (backend: Backend, defaults: Defaults) => ({
  mode: choiceFlag(MODES, {
    option: `audit.${backend}.mode`,
    section,
    default: defaults.mode,
    help: `How events are handed to the ${backend} backend. batch does not delay requests; blocking makes every response wait until its event is stored; blocking-strict also refuses requests whose first event cannot be stored.`,
  }),
  version: optionalTextFlag({
    option: `audit.${backend}.version`,
    section,
    help: `API version of events of the ${backend} backend. There is only v1, the default.`,
  }),
})

const batchFlags = (backend: Backend, defaults: Defaults) => ({
  'batch-buffer-size': positive({
    option: `audit.${backend}.batch.bufferSize`,
    default: '10000',
    help: 'Events that wait for a batch at most; further ones are dropped. Mode batch only.',
  }),
  'batch-max-size': positive({
    option: `audit.${backend}.batch.maxSize`,
    default: defaults.maxSize,
    help: 'Events in one batch at most. Mode batch only.',
  }),
  'batch-max-wait': orNone(
    durationFlag({
      option: `audit.${backend}.batch.maxWaitMs`,
      section,
      default: defaults.maxWait,
      help: 'How long an event waits for others before its batch is sent. Mode batch only.',
    }),
  ),
  'batch-throttle-enable': (defaults.throttle ? onFlag : boolFlag)({
    option: `audit.${backend}.batch.throttle`,
    section,
    help: 'Whether the rate of batches is limited. Mode batch only.',
  }),
  'batch-throttle-qps': rateFlag({
    option: `audit.${backend}.batch.qps`,
    section,
    default: defaults.qps,
    help: 'Batches per second. Mode batch only.',
  }),
  'batch-throttle-burst': natural({
    option: `audit.${backend}.batch.burst`,
    default: defaults.burst,
    help: 'Batches that may be sent at once after a pause. Mode batch only.',
  }),
})

const truncateFlags = (backend: Backend) => ({
  'truncate-enabled': boolFlag({
    option: `audit.${backend}.truncate.enabled`,
    section,
    help: 'Whether events and batches are limited in size.',
  }),
  'truncate-max-event-size': positive({
    option: `audit.${backend}.truncate.maxEventBytes`,
    default: '102400',
    help: 'Largest event, in bytes. Larger ones lose the objects of request and response; those that are too large all the same are dropped.',
  }),
  'truncate-max-batch-size': positive({
    option: `audit.${backend}.truncate.maxBatchBytes`,
    default: '10485760',
    help: 'Largest batch, in bytes. Larger ones are sent in parts.',
  }),
})

type Named<B extends Backend, F extends Flags> = {
  readonly [K in keyof F & string as `audit-${B}-${K}`]: F[K]
}

/** The same flags under the name of a backend. */
const named = <B extends Backend, F extends Flags>(backend: B, flags: F): Named<B, F> =>
  Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [`audit-${backend}-${name}`, flag]),
  ) as unknown as Named<B, F>

const LOG: Defaults = {
  mode: 'blocking',
  maxSize: '1',
  maxWait: '0s',
  qps: '0',
  burst: '0',
  throttle: false,
}
const WEBHOOK: Defaults = {
  mode: 'batch',
  maxSize: '400',
  maxWait: '30s',
  qps: '10',
  burst: '15',
  throttle: true,
}

/** Flags of audit. */
export const auditFlags = {
  'audit-policy-file': fileFlag({
    option: 'audit.policyFile',
    section,
    help: 'File with the audit policy. Without it no requests are recorded.',
  }),
  'audit-log-path': fileFlag({
    option: 'audit.log.path',
    section,
    help: 'File that audit events are appended to; - is the standard output.',
  }),
  'audit-log-format': choiceFlag(FORMATS, {
    option: 'audit.log.format',
    section,
    default: 'json',
    help: 'Format of the lines in the audit log.',
  }),
  'audit-log-maxage': natural({
    option: 'audit.log.maxAgeDays',
    default: '0',
    help: 'Days that rotated audit logs are kept; 0 keeps them whatever their age.',
  }),
  'audit-log-maxbackup': natural({
    option: 'audit.log.maxBackups',
    default: '0',
    help: 'Number of rotated audit logs that are kept; 0 keeps all.',
  }),
  'audit-log-maxsize': natural({
    option: 'audit.log.maxSizeMb',
    default: '0',
    help: 'Size in mebibytes at which the audit log is rotated; 0 means 100.',
  }),
  'audit-log-compress': boolFlag({
    option: 'audit.log.compress',
    section,
    help: 'Compress rotated audit logs with gzip.',
  }),
  'audit-log-join-lines': onFlag({
    option: 'audit.log.joinLines',
    section,
    help: 'Put lines without bodies together from parts that are kept, and in mode batch write lines that come within 20 ms at once. Without it each event is made on its own, which takes longer.',
  }),
  ...named('log', commonFlags('log', LOG)),
  'audit-webhook-config-file': fileFlag({
    option: 'audit.webhook.configFile',
    section,
    help: 'Kubeconfig of a webhook that audit events are sent to.',
  }),
  'audit-webhook-initial-backoff': durationFlag({
    option: 'audit.webhook.initialBackoffMs',
    section,
    default: '10s',
    help: 'Delay before a failed call of the audit webhook is repeated for the first time.',
  }),
  ...named('webhook', commonFlags('webhook', WEBHOOK)),
} as const satisfies Readonly<Record<string, Flag>>

type AuditValues = Values<typeof auditFlags>

/** The options that these flags mean; undefined when nothing is recorded. */
export function auditOf(values: AuditValues): AuditOptions | undefined {
  const policyFile = values['audit-policy-file']
  const path = values['audit-log-path']
  const configFile = values['audit-webhook-config-file']
  if (policyFile === '' && path === '' && configFile === '') return undefined
  return {
    ...(policyFile === '' ? {} : { policyFile }),
    ...(path === ''
      ? {}
      : {
          log: {
            path,
            format: values['audit-log-format'],
            maxAgeDays: values['audit-log-maxage'],
            maxBackups: values['audit-log-maxbackup'],
            maxSizeMb: values['audit-log-maxsize'],
            compress: values['audit-log-compress'],
            joinLines: values['audit-log-join-lines'],
            ...backendOf(values, 'log'),
          },
        }),
    ...(configFile === ''
      ? {}
      : {
          webhook: {
            configFile,
            initialBackoffMs: values['audit-webhook-initial-backoff'],
            ...backendOf(values, 'webhook'),
          },
        }),
  }
}

const backendOf = (values: AuditValues, backend: Backend): AuditBackendOptions => ({
  mode: values[`audit-${backend}-mode`],
  version: values[`audit-${backend}-version`],
  batch: {
    bufferSize: values[`audit-${backend}-batch-buffer-size`],
    maxSize: values[`audit-${backend}-batch-max-size`],
    maxWaitMs: values[`audit-${backend}-batch-max-wait`],
    throttle: values[`audit-${backend}-batch-throttle-enable`],
    qps: values[`audit-${backend}-batch-throttle-qps`],
    burst: values[`audit-${backend}-batch-throttle-burst`],
  },
  truncate: {
    enabled: values[`audit-${backend}-truncate-enabled`],
    maxEventBytes: values[`audit-${backend}-truncate-max-event-size`],
    maxBatchBytes: values[`audit-${backend}-truncate-max-batch-size`],
  },
})

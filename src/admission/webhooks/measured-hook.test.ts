import { expect, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import { internalError, StatusError } from '../../meta/errors.ts'
import { parseExposition } from '../../metrics/exposition.fixture.ts'
import { exposition } from '../../metrics/exposition.ts'
import { Registry } from '../../metrics/registry.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import type { Attributes } from '../attributes.ts'
import { HookFailure, type CallParts } from './call-hook.ts'
import type { Candidate } from './hook-index.ts'
import { measured } from './measured-hook.ts'
import { WebhookMetrics } from './webhook-metrics.ts'

const denied = (code: number) => Object.assign(internalError('no'), { code }) as StatusError
const failed = new HookFailure('h', 'down')

test.each([
  { error: null, isDenial: false, policy: 'Fail', rejected: 'false', code: '200', type: null },
  {
    error: denied(403),
    isDenial: true,
    policy: 'Fail',
    rejected: 'true',
    code: '403',
    type: 'no_error',
  },
  {
    error: denied(700),
    isDenial: true,
    policy: 'Fail',
    rejected: 'true',
    code: '600',
    type: 'no_error',
  },
  {
    error: failed,
    isDenial: false,
    policy: 'Fail',
    rejected: 'true',
    code: '503',
    type: 'calling_webhook_error',
  },
  {
    error: failed,
    isDenial: false,
    policy: 'Ignore',
    rejected: 'false',
    code: '503',
    type: 'open',
  },
  {
    error: internalError('x'),
    isDenial: false,
    policy: 'Ignore',
    rejected: 'true',
    code: '0',
    type: 'apiserver_internal_error',
  },
])('$code, $type, policy $policy', async ({ error, isDenial, policy, rejected, code, type }) => {
  const registry = new Registry({ v: vocabularies.kubernetes, log: silentLog })
  const metrics = new WebhookMetrics(registry, 'admit')
  const candidate = { hook: { webhook: { name: 'h', failurePolicy: policy } } }
  let took = -1
  const attributes = { operation: 'CREATE', tookWebhook: (ms: number) => void (took = ms) }
  measured(
    { metrics } as unknown as CallParts,
    candidate as unknown as Candidate,
    attributes as unknown as Attributes,
  )(error, { isDenial })
  expect(took).toBeGreaterThanOrEqual(0)
  const families = parseExposition(exposition(await registry.collect(), 'text').toString())
  const labels = (name: string) =>
    families.get(`apiserver_admission_webhook_${name}`)?.samples[0]?.labels
  const common = { name: 'h', operation: 'CREATE', type: 'admit' }
  expect(labels('request_total')).toEqual({ ...common, code, rejected })
  expect(labels('admission_duration_seconds')).toMatchObject({ ...common, rejected })
  expect(labels('rejection_count')).toEqual(
    rejected === 'true' ? { ...common, error_type: type, rejection_code: code } : undefined,
  )
  expect(labels('fail_open_count')).toEqual(
    type === 'open' ? { name: 'h', type: 'admit' } : undefined,
  )
})

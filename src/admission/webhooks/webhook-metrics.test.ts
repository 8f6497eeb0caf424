import { expect, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import { admissionWebhookRequests } from '../../metrics/declared/admission.ts'
import { Registry } from '../../metrics/registry.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import { WebhookMetrics } from './webhook-metrics.ts'

test('calls are counted by how they ended, whatever the last one was', () => {
  const registry = new Registry({ v: vocabularies.kubernetes, log: silentLog })
  const metrics = new WebhookMetrics(registry, 'admit')
  const calls = [
    ['a', 'CREATE', 200, false],
    ['a', 'CREATE', 200, false],
    ['a', 'UPDATE', 200, false],
    ['a', 'CREATE', 403, true],
    ['b', 'CREATE', 403, true],
    ['a', 'CREATE', 503, true],
    ['a', 'CREATE', 503, false],
    ['a', 'CREATE', 200, false],
  ] as const
  for (const [name, operation, code, isRejected] of calls) {
    const error = isRejected ? 'no_error' : null
    metrics.called(name, { operation }, 1, { code, error, isRejected })
  }
  const counted = registry.of(admissionWebhookRequests)
  const of = ([name, operation, code, isRejected]: (typeof calls)[number]) => {
    const rejected = String(isRejected)
    return counted.with({ name, type: 'admit', operation, rejected, code: String(code) }).value
  }
  expect([...new Set(calls.map((call) => `${call.join(' ')}: ${of(call)}`))]).toEqual([
    'a CREATE 200 false: 3',
    'a UPDATE 200 false: 1',
    'a CREATE 403 true: 1',
    'b CREATE 403 true: 1',
    'a CREATE 503 true: 1',
    'a CREATE 503 false: 1',
  ])
})

import { expect, test } from 'vitest'
import { lineLog, silentLog } from '../base/log.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { counter, exponentialBuckets, gauge, histogram, summary } from './declaration.ts'
import { parseExposition } from './exposition.fixture.ts'
import { acceptedForm, exposition } from './exposition.ts'
import { numberText } from './numbers.ts'
import { Registry, type RegistryOptions } from './registry.ts'

const registryOf = (options: Partial<RegistryOptions> = {}) =>
  new Registry({ v: vocabularies.kubernetes, log: silentLog, ...options })

const shown = async (registry: Registry, form: 'text' | 'openmetrics' = 'text') => {
  const text = exposition(await registry.collect(), form).toString()
  if (text !== '') parseExposition(text, form)
  return text
}

const calls = counter('calls_total', {
  labels: ['to', 'code'],
  help: 'Calls.',
  stability: 'STABLE',
})

test('the text form', async () => {
  const registry = registryOf()
  registry.of(calls).with({ to: 'a"b\\c\nd', code: '200' }).inc()
  registry.of(calls).with({ code: '200', to: 'a"b\\c\nd' }).inc(2)
  registry.of(gauge('{system}_depth', { help: 'Depth\\of\nqueues.' })).only.set(0.5)
  const times = registry.of(histogram('times_seconds', [0.1, 1], { labels: ['x'], help: 'Times.' }))
  for (const value of [0.1, 0.05, 0.2, 3]) times.with({ x: '' }).observe(value)
  const parts = registry.of(summary('parts_seconds', { help: 'Parts.' }))
  for (let i = 1; i <= 100; i++) parts.only.observe(i)
  registry.of(counter('never_total', { labels: ['x'], help: 'Has no series.' }))
  expect(await shown(registry)).toBe(String.raw`# HELP calls_total [STABLE] Calls.
# TYPE calls_total counter
calls_total{code="200",to="a\"b\\c\nd"} 3
# HELP kube_depth [ALPHA] Depth\\of\nqueues.
# TYPE kube_depth gauge
kube_depth 0.5
# HELP parts_seconds [ALPHA] Parts.
# TYPE parts_seconds summary
parts_seconds{quantile="0.5"} 50
parts_seconds{quantile="0.9"} 90
parts_seconds{quantile="0.99"} 99
parts_seconds_sum 5050
parts_seconds_count 100
# HELP times_seconds [ALPHA] Times.
# TYPE times_seconds histogram
times_seconds_bucket{x="",le="0.1"} 2
times_seconds_bucket{x="",le="1"} 3
times_seconds_bucket{x="",le="+Inf"} 4
times_seconds_sum{x=""} 3.35
times_seconds_count{x=""} 4
`)
})

test('the OpenMetrics form', async () => {
  const registry = registryOf()
  registry.of(calls).with({ to: 'b', code: '200' }).inc()
  registry.of(counter('regeneration_count', { help: 'Not "_total".' })).only.inc()
  expect(await shown(registry, 'openmetrics')).toBe(String.raw`# HELP calls [STABLE] Calls.
# TYPE calls counter
calls_total{code="200",to="b"} 1
# HELP regeneration_count [ALPHA] Not \"_total\".
# TYPE regeneration_count unknown
regeneration_count 1
# EOF
`)
})

test.each([
  ['', 'text'],
  ['*/*', 'text'],
  ['text/plain', 'text'],
  ['application/openmetrics-text', 'openmetrics'],
  [
    'application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5',
    'openmetrics',
  ],
  ['application/openmetrics-text;version=1.0.0;q=0.2,text/plain', 'text'],
  ['application/openmetrics-text; version=0.0.1,text/plain;q=0.1', 'text'],
  ['application/openmetrics-text; version="1.0.0"', 'openmetrics'],
  ['application/openmetrics-text;q=0', 'text'],
  ['application/openmetrics-text;q=x', 'text'],
])('Accept %j is answered in the form %s', (accept, form) => {
  expect(acceptedForm(accept)).toBe(form)
})

test.each([
  [0, '0'],
  [-3, '-3'],
  [999_999, '999999'],
  [1e6, '1e+06'],
  [1_234_567, '1.234567e+06'],
  [1_663_000_000.5, '1.6630000005e+09'],
  [0.005, '0.005'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [0.000_000_12, '1.2e-07'],
  [1e21, '1e+21'],
  [1e300, '1e+300'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [Number.NaN, 'NaN'],
])('%d is spelled %s', (value, text) => {
  expect(numberText(value)).toBe(text)
})

test('bounds are not spoilt by binary fractions', () => {
  expect(exponentialBuckets(0.00001, 10, 4)).toEqual([0.00001, 0.0001, 0.001, 0.01])
})

test.each([
  { deprecated: undefined, showHidden: false, help: '[ALPHA] Old.' },
  { deprecated: '1.26', showHidden: false, help: '[ALPHA] Old.' },
  { deprecated: '1.25', showHidden: false, help: '[ALPHA] (Deprecated since 1.25.0) Old.' },
  { deprecated: '1.23', showHidden: false, help: '[ALPHA] (Deprecated since 1.23.0) Old.' },
  { deprecated: '1.22', showHidden: false, help: null },
  { deprecated: '1.22', showHidden: true, help: '[ALPHA] (Deprecated since 1.22.0) Old.' },
  { deprecated: '1.21', showHidden: true, help: null },
])('deprecated in $deprecated, hidden ones shown: $showHidden', async (row) => {
  const { deprecated, showHidden, help } = row
  const lines: string[] = []
  const log = lineLog({ format: 'json', level: 0, now: () => 0, write: (l) => void lines.push(l) })
  const registry = registryOf({ showHidden, log })
  const old = registry.of(
    gauge('old', { help: 'Old.', labels: ['x'], ...(deprecated ? { deprecated } : {}) }),
  )
  old.with({ x: '1' }).set(1)
  old.with({ x: '2' }).set(1)
  const text = await shown(registry)
  expect(/^# HELP old (.*)$/m.exec(text)?.[1] ?? null).toBe(help)
  // One warning, where it shows and is deprecated.
  expect(lines.length).toBe(help?.includes('Deprecated') === true ? 1 : 0)
})

test('disabled metrics do not show, hidden or not', async () => {
  const registry = registryOf({ disabled: ['calls_total', 'old'], showHidden: true })
  registry.of(calls).with({ to: 'a', code: '1' }).inc()
  registry.of(gauge('old', { help: '', deprecated: '1.22' })).only.set(1)
  expect(await shown(registry)).toBe('')
})

test('label values that are not allowed are one', async () => {
  const registry = registryOf({ allowLabels: [['calls_total,to', ['a', 'b']]] })
  for (const to of ['a', 'b', 'c', 'd']) registry.of(calls).with({ to, code: '200' }).inc()
  expect(await shown(registry)).toContain(
    `calls_total{code="200",to="a"} 1
calls_total{code="200",to="b"} 1
calls_total{code="200",to="unexpected"} 2
`,
  )
})

test('a metric has no more than 20,000 series; the rest is dropped', async () => {
  const lines: string[] = []
  const log = lineLog({ format: 'text', level: 0, now: () => 0, write: (l) => void lines.push(l) })
  const registry = registryOf({ log })
  for (let i = 0; i < 20_010; i++)
    registry
      .of(calls)
      .with({ to: String(i), code: '1' })
      .inc()
  expect((await shown(registry)).split('\n').length).toBe(20_000 + 3)
  expect(lines.length).toBe(1)
})

test('a name belongs to one declaration', () => {
  const registry = registryOf()
  expect(registry.of(calls)).toBe(registry.of(calls))
  expect(() => registry.of(counter('calls_total', { help: '' }))).toThrow(
    'two metrics are named calls_total',
  )
})

test('what cannot be taken leaves the rest', async () => {
  const registry = registryOf()
  registry.of(calls).with({ to: 'a', code: '1' }).inc()
  registry.onScrape(() => Promise.reject(new Error('no')))
  registry.onScrape(() => {
    throw new Error('no')
  })
  expect(await shown(registry)).toContain('calls_total{code="1",to="a"} 1')
})

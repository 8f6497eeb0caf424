/** Checks that docs/metrics.md and the dashboard are current: `npx vitest run src/metrics -u` regenerates the page. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { declared } from './declared.fixture.ts'
import { phaseOf } from './lifecycle.ts'
import { numberText } from './numbers.ts'

const DOCS = join(import.meta.dirname, '..', '..', 'docs')
const all = Object.values(declared).flat()

const INTRODUCTION = readFileSync(join(import.meta.dirname, 'page-introduction.md'), 'utf8')

test('the page lists every metric', async () => {
  const sections = Object.entries(declared).map(([title, metrics]) => {
    const rows = [...metrics]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, type, stability, labels, help, buckets, deprecated }) => {
        const phase = phaseOf(deprecated)
        const life = phase === 'current' ? stability : `${stability}, ${phase}`
        const range =
          buckets.length === 0
            ? ''
            : ` Buckets: ${numberText(buckets[0]!)} to ${numberText(buckets.at(-1)!)}.`
        return `| \`${name}\` | ${type} | ${life} | ${labels.join(', ')} | ${help}${range} |`
      })
    return `\n## ${title}\n\n| metric | type | stability | labels | meaning |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`
  })
  await expect(INTRODUCTION + sections.join('')).toMatchFileSnapshot(join(DOCS, 'metrics.md'))
})

test('every declaration is in the page, once, and follows the conventions', () => {
  const files = readdirSync(join(import.meta.dirname, 'declared'))
  expect(files.length).toBe(Object.keys(declared).length)
  const names = all.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
  for (const { name, help, labels, buckets, type } of all) {
    expect(name).toMatch(/^[a-z{][a-z0-9_{}]*$/)
    expect(help).toMatch(/^[A-Z].*\.$/)
    expect(labels).toEqual([...new Set(labels)].sort())
    expect(buckets).toEqual([...buckets].sort((a, b) => a - b))
    expect(buckets.length > 0).toBe(type === 'histogram')
  }
})

test('the STABLE metrics are those of the release', () => {
  const stable = all.filter(({ stability }) => stability === 'STABLE')
  expect(stable.map(({ name, labels }) => `${name} ${labels.join(',')}`).sort()).toEqual([
    'apiserver_admission_controller_admission_duration_seconds name,operation,rejected,type',
    'apiserver_admission_step_admission_duration_seconds operation,rejected,type',
    'apiserver_admission_webhook_admission_duration_seconds name,operation,rejected,type',
    'apiserver_current_inflight_requests request_kind',
    'apiserver_longrunning_requests component,group,resource,scope,subresource,verb,version',
    'apiserver_request_duration_seconds component,dry_run,group,resource,scope,subresource,verb,version',
    'apiserver_request_total code,component,dry_run,group,resource,scope,subresource,verb,version',
    'apiserver_requested_deprecated_apis group,removed_release,resource,subresource,version',
    'apiserver_response_sizes component,group,resource,scope,subresource,verb,version',
    'apiserver_storage_objects resource',
    // Of the controllers.
    'node_collector_evictions_total zone',
  ])
})

test('the dashboard shows metrics that exist', () => {
  const text = readFileSync(join(DOCS, 'grafana-dashboard.json'), 'utf8')
  const known = new Set(
    all.flatMap(({ name, type }) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
  const board = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] }
  const used = board.panels.flatMap(({ targets = [] }) =>
    targets.flatMap(({ expr }) => expr.match(/[a-z][a-z0-9_]*(?=\{)/g) ?? []),
  )
  expect(used.length).toBeGreaterThan(10)
  expect(used.filter((name) => !known.has(name))).toEqual([])
})

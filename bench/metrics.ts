/**
 * What metrics cost: `npx tsx bench/metrics.ts`. CPU time of a get with and without them (without its socket and its
 * handler), and of `/metrics` where 100 kinds were requested with every verb.
 */
import type { ResourceEntry } from '../src/catalogue/catalogue.ts'
import { systemClock } from '../src/base/clock.ts'
import { silentLog } from '../src/base/log.ts'
import type { Catalogue } from '../src/catalogue/catalogue.ts'
import type { ServerState } from '../src/http/context.ts'
import type { Exchange } from '../src/http/exchange.ts'
import { RequestContext } from '../src/http/request-context.ts'
import { parseRequest } from '../src/http/request-info.ts'
import { RequestMetrics } from '../src/http/request-metrics.ts'
import { Stages } from '../src/http/stages.ts'
import { exposition } from '../src/metrics/exposition.ts'
import { Registry } from '../src/metrics/registry.ts'
import { vocabularies } from '../src/vocabulary/index.ts'

const KINDS = 100
const ROUNDS = 5

const entries = Array.from(
  { length: KINDS },
  (_, i) =>
    ({
      group: `group-${i % 10}.example.com`,
      version: 'v1',
      resource: `resources-${i}`,
      subresources: new Map(),
    }) as unknown as ResourceEntry,
)

const registry = new Registry({ v: vocabularies.kubernetes, log: silentLog })
const metrics = new RequestMetrics({
  registry,
  catalogue: { find: () => entries[0] } as unknown as Catalogue,
  now: Date.now,
  v: vocabularies.kubernetes,
})
const observed = (subscribers: readonly RequestMetrics[]) =>
  new Stages(subscribers, { clock: systemClock, log: silentLog })

interface Asked {
  readonly method: string
  readonly target: string
  readonly status: number
}

/** One request, through all of its stages where somebody observes them. */
function request({ method, target, status }: Asked, served: ResourceEntry, stages: Stages | null) {
  const headers = { host: 'a' }
  const socket = { remoteAddress: '192.0.2.1' }
  const exchange = { method, target, headers, socket, observer: null } as unknown as Exchange
  const context = new RequestContext({} as ServerState, exchange)
  context.info = parseRequest(method, context.path, target.split('?')[1] ?? '')
  if (stages === null) return
  const record = stages.received(context)
  context.record = record
  stages.authenticated(record)
  record.served = served
  record.begun(status)
  record.wrote(500)
  record.finished()
  stages.complete(record)
}

/** CPU time in microseconds. */
function cpu(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const GET: Asked = { method: 'GET', target: '/api/v1/namespaces/a/configmaps/b', status: 200 }
const TIMES = 300_000

function perGet(stages: Stages | null): string {
  const all = Array.from({ length: ROUNDS }, () =>
    cpu(() => {
      for (let i = 0; i < TIMES; i++) request(GET, entries[i % KINDS]!, stages)
    }),
  )
  return `${((Math.min(...all) / TIMES) * 1000).toFixed(0)} ns`
}

console.log(`get, nothing observed   ${perGet(null)}`)
console.log(`get, stages only        ${perGet(observed([]))}`)
console.log(`get, stages and metrics ${perGet(observed([metrics]))}`)

const stages = observed([metrics])
const VERBS = [
  ...[
    ['GET', '/x'],
    ['GET', ''],
    ['GET', '?watch=1'],
    ['POST', ''],
  ],
  ...[
    ['PUT', '/x'],
    ['PATCH', '/x'],
    ['DELETE', '/x'],
  ],
] as const
for (const entry of entries) {
  for (const [method = '', rest = ''] of VERBS) {
    for (const status of [200, 404]) {
      const target = `/apis/${entry.group}/v1/namespaces/a/${entry.resource}${rest}`
      request({ method, target, status }, entry, stages)
    }
  }
}
const families = await registry.collect()
const times = Array.from({ length: 20 }, () => cpu(() => void exposition(families, 'text')))
const bytes = exposition(families, 'text').length
console.log(
  `exposition of ${KINDS} kinds ${(Math.min(...times) / 1000).toFixed(1)} ms at best, ${(times.sort((a, b) => a - b)[10]! / 1000).toFixed(1)} ms median, ${(bytes / 1e6).toFixed(1)} MB`,
)

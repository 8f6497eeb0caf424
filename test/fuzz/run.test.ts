/** That a run finds each class of fault, and none where there is none. */
import { afterEach, expect, test } from 'vitest'
import { FaultyServer } from './faulty-server.fixture.ts'
import type { FindingClass } from './findings.ts'
import { Admin } from './admin.ts'
import { Run } from './run.ts'
import { learnWorld } from './world.ts'

let server: FaultyServer | null = null
afterEach(() => server?.close())

async function findingsOf(fault: FindingClass | null) {
  server = await FaultyServer.start(fault)
  const admin = new Admin(server.where)
  const world = await learnWorld('kubernetes', async (path) => (await admin.ask('GET', path)).body)
  admin.close()
  const run = new Run(server, world, {
    seed: 7,
    seconds: 60,
    requests: 110,
    lanes: 2,
    mostGrowth: 1 << 20,
    pauseMs: 1,
    breaksBytes: false,
    readsBack: 1,
  })
  return run.go()
}

test('a server without a fault has no findings', async () => {
  const { findings, requests, written, roundTrips, witnesses } = await findingsOf(null)
  expect(findings).toEqual([])
  expect(requests).toBeGreaterThanOrEqual(110)
  expect(written).toBeGreaterThan(0)
  expect(roundTrips).toBeGreaterThan(0)
  expect(witnesses).toBe(2)
})

const CLASSES: readonly FindingClass[] = [
  'error',
  'panic',
  'silence',
  'unreadable',
  'status',
  'permission',
  'connection',
  'log',
  'death',
  'memory',
  'witness',
  'round trip',
  'list',
  'change',
]

for (const fault of CLASSES) {
  test(`a fault of the class ${fault} is found`, async () => {
    const { findings } = await findingsOf(fault)
    expect(findings.map(({ is }) => is)).toContain(fault)
  })
}

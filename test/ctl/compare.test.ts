/** Our command line against what a stock kubectl 1.25 showed for the same rows: test/ctl/record.ts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import recorded from './recorded.json' with { type: 'json' }
import { FILES, normal, ROWS, split } from './rows.fixture.ts'
import { Ctl } from './run.ts'

type Recorded = readonly (readonly [row: string, code: number, stdout: string, stderr: string])[]

let server: RunningServer
let ctl: Ctl
beforeAll(async () => {
  server = await startServer({
    vocabulary: 'kubernetes',
    controllers: ['api'],
    serviceClusterIpRange: '10.0.0.0/24',
  })
  await server.settled()
  ctl = await Ctl.for(server.kubeconfig)
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(ctl.home, name), text)
})
afterAll(async () => {
  await ctl.close()
  await server.close()
})

/** Rows that differ on purpose; each is still run, since later rows build on it. */
const DIFFERS: ReadonlySet<string> = new Set([
  // A field that no object has is more likely a mistake than a request for nothing.
  'get ns --sort-by=.foo',
  // The failure alone, without the whole object.
  'get cm c1 -o jsonpath={.missing} --allow-missing-template-keys=false',
  // What was not done is not claimed.
  'label cm c1 z=1 --dry-run=client',
  'apply -f all2.yaml --dry-run=client',
  // Shorter.
  'create cm x1 --from-literal=a=b --from-literal=a=c --dry-run=client',
  'delete -f cm2.json',
  // Shows no events where none are wanted.
  'describe pvc claim -n rich --show-events=false',
  // Takes the namespace of the configuration, as everything else does.
  'auth reconcile -f role.yaml',
])

test('every row shows what people know', async () => {
  const [ours, theirs]: string[][] = [[], []]
  const rows = recorded as unknown as Recorded
  expect(rows.map(([row]) => row)).toEqual(ROWS)
  for (const [row, code, stdout, stderr] of rows) {
    const { args, env } = split(row, ctl.home)
    const outcome = await ctl.run(args, { env })
    await server.settled()
    if (DIFFERS.has(row)) continue
    const [out, err] = [outcome.stdout, outcome.stderr].map((text) => normal(text, ctl.home))
    ours!.push(`$ ${row}\n${out}${err}[${outcome.code}]`)
    theirs!.push(`$ ${row}\n${stdout}${stderr}[${code}]`)
  }
  expect(theirs!.length).toBeGreaterThanOrEqual(600)
  expect(ours).toEqual(theirs)
})

/** What does a create cost on etcd, how much of it is the gRPC library's, and what would a leaner client save? */
import { join } from 'node:path'
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import { startEtcd, type Etcd } from '../etcd.ts'
import type { CallsOptions } from '../lean-grpc/measure.ts'
import type { Target } from '../load/job.ts'
import { median, plain, rateOf, verdictOf, type Row, type Sample } from '../measure.ts'
import { readShares, type Shares } from '../profile-share.ts'
import type { Ours } from '../subjects.ts'
import { worker } from '../users.ts'

const CONNECTIONS = [16, 128]
const MOST = CONNECTIONS[CONNECTIONS.length - 1]!
const A_THIRD = 100 / 3
// Writing goes on while the one that watches warms up and counts.
const WRITING_SECONDS = 2

export const etcdCreate: Question = {
  name: 'etcd-create',
  stores: ['etcd'],
  async ask(bench: Bench): Promise<Row[]> {
    const rows = bench.options.server === null ? [] : await servers(bench)
    return [...rows, ...(await clients(bench, rows))]
  },
}

const rowOf = (what: string) => ({ question: 'etcd-create', what, unit: '/s' as const, goal: null })

interface Subject {
  readonly ours: Ours
  readonly target: Target
}

async function servers(bench: Bench): Promise<Row[]> {
  const subject = async (options: Parameters<Bench['ours']>[0]): Promise<Subject> => {
    const ours = await bench.ours(options)
    if (ours === null) throw new Error('there is no server')
    return { ours, target: await worker(ours) }
  }
  const embedded = await subject({ store: 'lmdb', profiled: false })
  const onEtcd = await subject({ profiled: true })
  let namespaces = 0
  const creates = async ({ ours, target }: Subject, connections: number): Promise<Sample> => {
    const path = await bench.namespace(ours, `create-${namespaces++}`)
    const count = Number.MAX_SAFE_INTEGER
    const plan = { is: 'create', path, prefix: 'a-', sizeBytes: OBJECT_BYTES, count } as const
    return rateOf(await bench.requests(target, 'h1', { connections }, plan))
  }
  const rows: Row[] = []
  for (const connections of CONNECTIONS) {
    rows.push(
      await bench.alternate(
        rowOf(`create 2 KiB, ${connections} connections, on etcd, to embedded`),
        () => creates(onEtcd, connections),
        () => creates(embedded, connections),
      ),
    )
  }
  const end = await onEtcd.ours.profile()
  await creates(onEtcd, MOST)
  const file = join(bench.workspace.folder(), 'create.cpuprofile')
  await end(file)
  rows.push(...sharesRows(readShares(file)))
  await embedded.ours.end()
  await onEtcd.ours.end()
  return rows
}

function sharesRows(shares: Shares): Row[] {
  const row = (what: string, share: number, goal: Row['goal'] = null): Row => ({
    question: 'etcd-create',
    what: `create on etcd, ${MOST} connections: share of ${what}`,
    unit: '%',
    ours: [plain(share * 100)],
    bare: [],
    goal,
  })
  return [
    row('the gRPC library', shares.grpc, { of: 'value', is: 'at most', number: A_THIRD }),
    row('the server and its other packages', shares.product),
    row('collecting garbage', shares.garbage),
    row('Node itself', shares.node),
  ]
}

/** Ours is the library, bare the client by hand; no server is in between. */
async function clients(bench: Bench, before: readonly Row[]): Promise<Row[]> {
  const etcd = await startEtcd(bench.workspace)
  let runs = 0
  const rows: Row[] = []
  for (const callers of CONNECTIONS) {
    const txn = (client: CallsOptions['client']) => () =>
      calls(bench, etcd, { client, does: 'txn', callers, prefix: `/txn-${runs++}` })
    rows.push(
      await bench.alternate(
        rowOf(`etcd transaction, ${callers} callers, grpc-js, to a lean client`),
        txn('grpc-js'),
        txn('lean'),
      ),
    )
  }
  const watch = (client: CallsOptions['client']) => async () => {
    const run = { client, callers: MOST, prefix: `/watch-${runs++}` }
    const seconds = bench.options.seconds + WRITING_SECONDS
    const [sample] = await Promise.all([
      calls(bench, etcd, { ...run, does: 'watch' }),
      calls(bench, etcd, { ...run, client: 'lean', does: 'txn', seconds }),
    ])
    return sample
  }
  rows.push(
    await bench.alternate(
      rowOf('change seen by an etcd watch, grpc-js, to a lean client'),
      watch('grpc-js'),
      watch('lean'),
    ),
  )
  const engine = (program: string) => async () => {
    const { url, pid } = etcd
    const { seconds } = bench.options
    const place = { url, pid, prefix: `/engine-${runs++}` }
    const options = { callers: MOST, seconds, valueBytes: OBJECT_BYTES, etcd: place }
    return bench.rawStoreBy(program, options)
  }
  const whole = await bench.alternate(
    rowOf(`the engine on etcd alone, ${MOST} callers, grpc-js, to a lean client`),
    engine('store-raw-process.js'),
    engine('store-raw-lean-process.js'),
  )
  rows.push(whole)
  bench.notes.push(...gainNote(before, whole))
  return rows
}

async function calls(
  bench: Bench,
  { url }: Etcd,
  options: Omit<CallsOptions, 'url' | 'seconds' | 'valueBytes'> & { readonly seconds?: number },
): Promise<Sample> {
  const { seconds } = bench.options
  const told: CallsOptions = { url, seconds, valueBytes: OBJECT_BYTES, ...options }
  return bench.rawStoreBy('lean-grpc/process.js', told)
}

/** What a leaner client would take from a create. */
function gainNote(before: readonly Row[], engine: Row): string[] {
  const create = before.find((row) => row.what.includes(`${MOST} connections`))
  const whole = create === undefined ? null : verdictOf(create).ours?.cpuMicros
  const gain = median(
    engine.ours.flatMap(({ cpuMicros }, i) => {
      const lean = engine.bare[i]?.cpuMicros
      return cpuMicros === null || lean === null || lean === undefined ? [] : [cpuMicros - lean]
    }),
  )
  if (gain === null) return []
  const part = whole
    ? `, ${((gain / whole) * 100).toFixed(0)} % of a create's ${whole.toFixed(0)}`
    : ''
  return [`etcd-create: a lean client saves ${gain.toFixed(0)} us of CPU for each commit${part}`]
}

/** What does a create cost on etcd, and what does a gRPC client of our own save of it? */
import { configMapsIn, OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import { startEtcd, type Etcd } from '../etcd.ts'
import type { CallsOptions } from '../grpc-js/measure.ts'
import type { Target } from '../load/job.ts'
import { median, rateOf, verdictOf, type Row, type Sample } from '../measure.ts'
import type { Ours } from '../subjects.ts'
import { worker } from '../users.ts'

const CONNECTIONS = [16, 128]
const MOST = CONNECTIONS[CONNECTIONS.length - 1]!
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
  /** Namespaces that no round has used. */
  readonly places: string[]
}

async function servers(bench: Bench): Promise<Row[]> {
  const subject = async (options: Parameters<Bench['ours']>[0]): Promise<Subject> => {
    const ours = await bench.ours(options)
    if (ours === null) throw new Error('there is no server')
    const places = await bench.namespaces(ours, 'create', CONNECTIONS.length * bench.options.rounds)
    return { ours, target: await worker(ours), places }
  }
  const embedded = await subject({ store: 'lmdb', profiled: false })
  const onEtcd = await subject({ profiled: false })
  const creates = async ({ places, target }: Subject, connections: number): Promise<Sample> => {
    const path = configMapsIn(places.pop()!)
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
  await embedded.ours.end()
  await onEtcd.ours.end()
  return rows
}

/** Ours is the client by hand, bare the library; no server is in between. */
async function clients(bench: Bench, before: readonly Row[]): Promise<Row[]> {
  const etcd = await startEtcd(bench.workspace)
  let runs = 0
  const rows: Row[] = []
  for (const callers of CONNECTIONS) {
    const txn = (client: CallsOptions['client']) => () =>
      calls(bench, etcd, { client, does: 'txn', callers, prefix: `/txn-${runs++}` })
    rows.push(
      await bench.alternate(
        rowOf(`etcd transaction, ${callers} callers, our client, to grpc-js`),
        txn('builtin'),
        txn('grpc-js'),
      ),
    )
  }
  const watch = (client: CallsOptions['client']) => async () => {
    const run = { client, callers: MOST, prefix: `/watch-${runs++}` }
    const seconds = bench.options.seconds + WRITING_SECONDS
    const [sample] = await Promise.all([
      calls(bench, etcd, { ...run, does: 'watch' }),
      calls(bench, etcd, { ...run, client: 'builtin', does: 'txn', seconds }),
    ])
    return sample
  }
  rows.push(
    await bench.alternate(
      rowOf('change seen by an etcd watch, our client, to grpc-js'),
      watch('builtin'),
      watch('grpc-js'),
    ),
  )
  const engine = (transport: CallsOptions['client']) => async () => {
    const { url, pid } = etcd
    const { seconds } = bench.options
    const place = { url, pid, prefix: `/engine-${runs++}`, transport }
    const options = { callers: MOST, seconds, valueBytes: OBJECT_BYTES, etcd: place }
    return bench.rawStoreBy('store-raw-process.js', options)
  }
  const whole = await bench.alternate(
    rowOf(`the engine on etcd alone, ${MOST} callers, our client, to grpc-js`),
    engine('builtin'),
    engine('grpc-js'),
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
  return bench.rawStoreBy('grpc-js/process.js', told)
}

/** What the client by hand takes from a create. */
function gainNote(before: readonly Row[], engine: Row): string[] {
  const create = before.find((row) => row.what.includes(`${MOST} connections`))
  const whole = create === undefined ? null : verdictOf(create).ours?.cpuMicros
  const gain = median(
    engine.ours.flatMap(({ cpuMicros }, i) => {
      const library = engine.bare[i]?.cpuMicros
      return cpuMicros === null || library === null || library === undefined
        ? []
        : [library - cpuMicros]
    }),
  )
  if (gain === null) return []
  const beside = whole ? `, beside a create's ${whole.toFixed(0)}` : ''
  return [`etcd-create: our client saves ${gain.toFixed(0)} us of CPU for each commit${beside}`]
}

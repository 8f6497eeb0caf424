/** Several servers on one etcd of three members, each in a network of its own, which is cut in many ways. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { hasEtcd, NO_ETCD } from '../store/etcd.ts'
import { Network } from './network.ts'
import type { PartitionOrder } from './partition-run.ts'
import { skippedFor, type Part, type PartOptions, type PartResult } from './part.ts'

const PROGRAM = join(import.meta.dirname, 'partition-run.ts')
const MEMBERS = ['m0', 'm1', 'm2']
const SERVERS = ['s0', 's1', 's2']
/** Of which more lines are not worth keeping. */
const SAID_BYTES = 4_000

/** Partitions with two servers, and with three. */
export const partitions: Part = {
  name: 'partitions',
  shows:
    'what clients are answered is linearizable when servers and members are cut off from each other',
  unit: 'rounds of partitions',
  full: 500,
  async run(options) {
    if (!hasEtcd) return skippedFor(NO_ETCD)
    const ends = [options.rounds >> 1, options.rounds]
    const results: PartResult[] = []
    for (const [i, count] of [2, 3].entries()) {
      const rounds = ends[i]! - (ends[i - 1] ?? 0)
      const left = options.until - performance.now()
      const ms = i === 0 ? left / 2 : left
      if (rounds === 0) continue
      const result = await withServers(count, { ...options, rounds, until: performance.now() + ms })
      if (result.skipped !== null) return result
      results.push(result)
    }
    return {
      rounds: results.reduce((sum, { rounds }) => sum + rounds, 0),
      figures: Object.fromEntries(
        results.flatMap(({ figures }, i) =>
          Object.entries(figures).map(([name, value]) => [
            `${results.length === 1 ? '' : `${i + 2} servers, `}${name}`,
            value,
          ]),
        ),
      ),
      violations: results.flatMap(({ violations }) => violations),
      skipped: null,
    }
  },
}

async function withServers(count: number, options: PartOptions): Promise<PartResult> {
  const network = Network.make(['clients', ...MEMBERS, ...SERVERS.slice(0, count)])
  if (typeof network === 'string') return skippedFor(`no networks of its own: ${network}`)
  try {
    const [clients, ...nodes] = network.nodes
    const order: PartitionOrder = {
      ...{ seed: options.seed, rounds: options.rounds, ms: options.until - performance.now() },
      ...{ members: nodes.slice(0, MEMBERS.length), servers: nodes.slice(MEMBERS.length) },
    }
    return await ordered(clients!.command, order, options)
  } finally {
    network.remove()
  }
}

async function ordered(
  command: readonly string[],
  order: PartitionOrder,
  { say }: PartOptions,
): Promise<PartResult> {
  const [program = '', ...args] = [
    ...[...command, process.execPath, '--import', 'tsx', PROGRAM, JSON.stringify(order)],
  ]
  // Its input ends with this process, and it with its input.
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let last = ''
  let rest = ''
  let said = ''
  child.stderr.on('data', (data: Buffer) => (said = (said + data.toString()).slice(-SAID_BYTES)))
  child.stdout.on('data', (data: Buffer) => {
    const lines = (rest + data.toString()).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      last = line
      if (!line.startsWith('{')) say(line)
    }
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code === 0) return JSON.parse(last) as PartResult
  return { ...skippedFor(''), violations: [`the run broke off: ${said}`], skipped: null }
}

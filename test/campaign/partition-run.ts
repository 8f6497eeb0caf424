/**
 * Runs in the network of clients, begun by `partitions.ts`: starts etcd and servers in theirs, cuts them off from each other
 * under load, and writes the result as the last line.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seeded } from '../faults/random.ts'
import { recovered, type Fault, type Scene } from '../faults/scene.ts'
import { until, wait } from '../faults/waiting.ts'
import { started } from './kills.ts'
import { Network, type Node } from './network.ts'
import { Closers, wordsOf, type PartResult } from './part.ts'
import { runRounds, Sums } from './rounds.ts'

/** What it is told, as JSON. */
export interface PartitionOrder {
  readonly seed: number
  readonly rounds: number
  readonly ms: number
  readonly members: readonly Node[]
  readonly servers: readonly Node[]
}

const CLIENT_PORT = 2_379
const PEER_PORT = 2_380
const urlOf = ({ address }: Node, port: number) => `http://${address}:${port}`

async function startMembers(members: readonly Node[], closers: Closers): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'campaign-etcd-'))
  closers.add(() => rm(dir, { recursive: true, force: true }))
  const cluster = members.map((node) => `${node.name}=${urlOf(node, PEER_PORT)}`).join()
  for (const node of members) {
    const { name, command } = node
    const [program = '', ...args] = [
      ...[...command, 'etcd', `--name=${name}`, `--data-dir=${join(dir, name)}`],
      ...[
        '--logger=zap',
        '--log-level=error',
        '--max-txn-ops=1024',
        `--initial-cluster=${cluster}`,
      ],
      ...[`--listen-client-urls=${urlOf(node, CLIENT_PORT)}`],
      ...[`--advertise-client-urls=${urlOf(node, CLIENT_PORT)}`],
      ...[`--listen-peer-urls=${urlOf(node, PEER_PORT)}`],
      ...[`--initial-advertise-peer-urls=${urlOf(node, PEER_PORT)}`],
      ...['--heartbeat-interval=100', '--election-timeout=1000'],
    ]
    const child = spawn(program, args, { stdio: 'ignore' })
    const ended = once(child, 'exit')
    closers.add(async () => {
      child.kill('SIGKILL')
      await ended
    })
  }
  await until('leader of etcd', async () => (await leaderOf(members)) !== null)
}

/** The member that leads, as the members say themselves; null where none does, or none is heard. */
async function leaderOf(members: readonly Node[]): Promise<Node | null> {
  for (const node of members) {
    try {
      const answer = await fetch(`${urlOf(node, CLIENT_PORT)}/v3/maintenance/status`, {
        ...{ method: 'POST', body: '{}', signal: AbortSignal.timeout(1_000) },
      })
      const { leader, header } = (await answer.json()) as {
        readonly leader?: string
        readonly header?: { readonly member_id?: string }
      }
      if (leader !== undefined && leader !== '0' && leader === header?.member_id) return node
    } catch {
      await wait(50)
    }
  }
  return null
}

/** Ways to cut the network. Clients reach all servers in each: what they are answered is what is checked. */
function faultsOf({ members, servers }: PartitionOrder, network: Network): readonly Fault[] {
  const cut = (name: string, how: (scene: Scene) => Promise<void> | void): Fault => ({
    name,
    run: async (scene) => {
      try {
        await how(scene)
        await wait(500 + scene.random.below(6_000))
      } finally {
        network.mend()
      }
      await recovered(scene)
    },
  })
  const others = (some: readonly Node[], of: readonly Node[]) =>
    of.filter((node) => !some.includes(node))
  return [
    cut('leader cut off from members', async () => {
      const leader = (await leaderOf(members)) ?? members[0]!
      network.split([leader], others([leader], members))
    }),
    cut('server cut off from etcd', ({ random }) => network.split([random.pick(servers)], members)),
    cut('server and leader cut off together', async ({ random }) => {
      const minority = [(await leaderOf(members)) ?? members[0]!, random.pick(servers)]
      network.split(minority, others(minority, [...members, ...servers]))
    }),
    cut('one direction cut', async ({ random }) => {
      const from = random.pick([...members, ...servers])
      for (const to of others([from], members)) network.cutFrom(from, to)
    }),
    cut('answers of etcd cut', ({ random }) => {
      const server = random.pick(servers)
      for (const member of members) network.cutFrom(member, server)
    }),
    cut('every node of etcd alone', () => {
      for (const one of members) network.split([one], others([one], members))
    }),
    cut('nodes in two random groups', ({ random }) => {
      const all = [...members, ...servers]
      const some = all.filter(() => random.below(2) === 0)
      network.split(some, others(some, all))
    }),
  ]
}

async function run(order: PartitionOrder, closers: Closers): Promise<PartResult> {
  const { members, servers, rounds, seed } = order
  const network = Network.of([...members, ...servers])
  const dir = await mkdtemp(join(tmpdir(), 'campaign-'))
  closers.add(() => rm(dir, { recursive: true, force: true }))
  await startMembers(members, closers)
  const urls = members.map((node) => urlOf(node, CLIENT_PORT))
  const subject = await started(
    {
      ...{ dir, historyMs: 20_000 },
      etcd: servers.map(() => urls),
      places: servers.map(({ address, command }) => ({ host: address, command })),
    },
    closers,
  )
  const sums = new Sums()
  await runRounds(
    {
      ...{ subject, disk: null, cluster: null },
      faults: faultsOf(order, network),
      random: seeded(seed),
    },
    {
      ...{ seed, rounds, until: performance.now() + order.ms },
      say: (line) => process.stdout.write(`${line}\n`),
    },
    sums,
  )
  return sums.result()
}

const closers = new Closers()
// Who began this has ended: nothing of it stays.
process.stdin.once('end', () => void closers.close().finally(() => process.exit(1))).resume()
let code = 0
try {
  const result = await run(JSON.parse(process.argv[2] ?? '') as PartitionOrder, closers)
  process.stdout.write(`${JSON.stringify(result)}\n`)
} catch (error) {
  process.stderr.write(`${wordsOf(error)}\n`)
  code = 1
}
await closers.close()
process.exit(code)

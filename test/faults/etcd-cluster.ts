/** Three etcd members on this machine; between them and each server is a connection that can be cut. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../ports.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { until, wait } from './waiting.ts'

/** One member and the way to it. */
export interface Member {
  readonly name: string
  /** The ways to it, one for each server. */
  readonly links: readonly TcpProxy[]
  readonly running: boolean
  start(): void
  /** Ends it without a word. */
  kill(): Promise<void>
  /** Lets it stand still, with its connections open. */
  pause(): void
  resume(): void
  /** Whether it leads, as it says itself; null when it does not say. */
  leads(): Promise<boolean | null>
}

/** A cluster that goes on while two members of it do. */
export interface EtcdCluster {
  readonly members: readonly Member[]
  /** What the server of an index is told: addresses that lead through its own links. */
  urls(server: number): readonly string[]
  /** Waits for a member that leads. */
  leader(): Promise<Member>
  /** Starts, resumes and reconnects whatever is not well. */
  mend(): void
  /** Ends all members and takes their data away. */
  close(): Promise<void>
}

const SIZE = 3
const ASK_MS = 1_000

/** Starts a cluster on free ports, with the links of so many servers. */
export async function startCluster(servers: number): Promise<EtcdCluster> {
  const dir = await mkdtemp(join(tmpdir(), 'etcd-cluster-'))
  const places: Place[] = []
  for (let i = 0; i < SIZE; i++) {
    const port = await freePort()
    const links: TcpProxy[] = []
    for (let server = 0; server < servers; server++) links.push(await TcpProxy.open(port))
    places.push({ name: `m${i}`, dir: join(dir, `m${i}`), port, peerPort: await freePort(), links })
  }
  const initial = places.map(({ name, peerPort }) => `${name}=${local(peerPort)}`).join()
  const members = places.map((place) => new Process(place, initial))
  const cluster: EtcdCluster = {
    members,
    urls: (server) => members.map(({ links }) => local(links[server]!.port)),
    leader: async () => {
      let found: Member | undefined
      await until('leader of the etcd cluster', async () => {
        const leads = await Promise.all(members.map((member) => member.leads()))
        found = members[leads.indexOf(true)]
        return found !== undefined
      })
      return found!
    },
    mend: () => {
      for (const member of members) {
        if (!member.running) member.start()
        member.resume()
        for (const link of member.links) link.mend()
      }
    },
    close: async () => {
      await Promise.all(members.map((member) => member.kill()))
      await Promise.all(places.flatMap(({ links }) => links.map((link) => link.close())))
      await rm(dir, { recursive: true, force: true })
    },
  }
  try {
    cluster.mend()
    await cluster.leader()
    return cluster
  } catch (error) {
    await cluster.close()
    throw error
  }
}

interface Place {
  readonly name: string
  readonly dir: string
  readonly port: number
  readonly peerPort: number
  readonly links: readonly TcpProxy[]
}

const local = (port: number) => `http://127.0.0.1:${port}`

class Process implements Member {
  readonly name: string
  readonly links: readonly TcpProxy[]
  readonly #place: Place
  readonly #initial: string
  #child: ChildProcess | null = null
  #ended: Promise<unknown> = Promise.resolve()

  constructor(place: Place, initial: string) {
    this.name = place.name
    this.links = place.links
    this.#place = place
    this.#initial = initial
  }

  get running(): boolean {
    return this.#child !== null
  }

  start(): void {
    const { name, dir, port, peerPort } = this.#place
    const child = spawn(
      'etcd',
      [
        ...[`--name=${name}`, `--data-dir=${dir}`, '--logger=zap', '--log-level=error'],
        ...[`--listen-client-urls=${local(port)}`, `--advertise-client-urls=${local(port)}`],
        ...[`--listen-peer-urls=${local(peerPort)}`],
        ...[`--initial-advertise-peer-urls=${local(peerPort)}`],
        ...[`--initial-cluster=${this.#initial}`, '--max-txn-ops=1024'],
        ...['--heartbeat-interval=100', '--election-timeout=1000'],
      ],
      { stdio: 'ignore' },
    )
    this.#child = child
    this.#ended = once(child, 'exit').then(() => {
      if (this.#child === child) this.#child = null
    })
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#ended
  }

  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  async leads(): Promise<boolean | null> {
    try {
      // Past the links: what is asked here is no part of the fault.
      const answer = await fetch(`${local(this.#place.port)}/v3/maintenance/status`, {
        method: 'POST',
        body: '{}',
        signal: AbortSignal.timeout(ASK_MS),
      })
      const { leader, header } = (await answer.json()) as {
        leader?: string
        header?: { member_id?: string }
      }
      return leader !== undefined && leader !== '0' && leader === header?.member_id
    } catch {
      await wait(50)
      return null
    }
  }
}

/** Networks of this machine's own, with nodes that are cut off from each other: network namespaces around one bridge. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'

const FOLDER = '/run/netns'
const PREFIX = 'campaign'
/** Nobody has it: what is sent there is lost, and no sender is told. */
const NOBODY = '02:00:00:00:00:fe'
const IN_NODE = 'eth0'

/** A place in the network. */
export interface Node {
  readonly name: string
  readonly address: string
  /** What runs a program in it. */
  readonly command: readonly string[]
}

/** Runs `ip`; throws with what it says. */
function ip(...args: string[]): void {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' })
  if (error) throw error
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr.trim()}`)
}

/** Nodes that reach each other, and nothing else. */
export class Network {
  readonly nodes: readonly Node[]
  readonly #prefix: string

  private constructor(prefix: string, nodes: readonly Node[]) {
    this.#prefix = prefix
    this.nodes = nodes
  }

  /** Makes one with nodes of some names; the reason where this is not permitted. */
  static make(names: readonly string[]): Network | string {
    removeForgotten()
    const prefix = `${PREFIX}-${process.pid}`
    const nodes = names.map((name, i) => ({
      name: `${prefix}-${name}`,
      address: `10.77.0.${i + 1}`,
      command: ['ip', 'netns', 'exec', `${prefix}-${name}`],
    }))
    const network = new Network(prefix, nodes)
    try {
      network.#build()
      return network
    } catch (error) {
      network.remove()
      return (error as Error).message
    }
  }

  /** A network that another process made. */
  static of(nodes: readonly Node[]): Network {
    return new Network('', nodes)
  }

  #build(): void {
    const bridge = `${this.#prefix}-bridge`
    ip('netns', 'add', bridge)
    ip('-n', bridge, 'link', 'add', 'bridge', 'type', 'bridge')
    ip('-n', bridge, 'link', 'set', 'bridge', 'up')
    for (const [i, { name, address }] of this.nodes.entries()) {
      ip('netns', 'add', name)
      const peer = ['peer', 'name', `port${i}`, 'netns', bridge]
      ip('link', 'add', IN_NODE, 'netns', name, 'type', 'veth', ...peer)
      ip('-n', bridge, 'link', 'set', `port${i}`, 'master', 'bridge', 'up')
      ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', IN_NODE)
      ip('-n', name, 'link', 'set', 'lo', 'up')
      ip('-n', name, 'link', 'set', IN_NODE, 'up')
    }
  }

  /** Nothing that the first sends gets to the second from now on. */
  cutFrom(from: Node, to: Node): void {
    ip(
      ...['-n', from.name, 'neigh', 'replace', to.address],
      ...['lladdr', NOBODY, 'dev', IN_NODE, 'nud', 'permanent'],
    )
  }

  /** Nothing gets through between two groups. */
  split(some: readonly Node[], others: readonly Node[]): void {
    for (const one of some)
      for (const other of others) {
        this.cutFrom(one, other)
        this.cutFrom(other, one)
      }
  }

  /** Everything gets through again. */
  mend(): void {
    for (const { name } of this.nodes)
      ip('-n', name, 'neigh', 'flush', 'dev', IN_NODE, 'nud', 'permanent')
  }

  remove(): void {
    for (const name of namesIn().filter((each) => each.startsWith(`${this.#prefix}-`)))
      spawnSync('ip', ['netns', 'del', name])
  }
}

const namesIn = (): readonly string[] => (existsSync(FOLDER) ? readdirSync(FOLDER) : [])

/** Takes away what runs left behind that were themselves killed. */
function removeForgotten(): void {
  for (const name of namesIn()) {
    const owner = new RegExp(`^${PREFIX}-(\\d+)-`).exec(name)?.[1]
    if (owner !== undefined && !existsSync(`/proc/${owner}`))
      spawnSync('ip', ['netns', 'del', name])
  }
}

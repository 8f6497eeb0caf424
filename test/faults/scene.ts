/** What a fault can reach, and what servers must come to after it. */
import type { Disk } from './disk.ts'
import type { EtcdCluster } from './etcd-cluster.ts'
import type { History } from './history.ts'
import type { Load } from './load.ts'
import type { Random } from './random.ts'
import type { ServerProcess, Subject } from './subject.ts'
import { until } from './waiting.ts'

/** Where a fault happens. */
export interface Scene {
  readonly subject: Subject
  readonly history: History
  readonly random: Random
  /** The load, to be seen going on and to be made heavier. */
  readonly load: Pick<Load, 'padding' | 'tally'>
  /** The file system of the data directory, where one could be mounted. */
  readonly disk: Disk | null
  /** What the servers keep their objects in; null when they do so themselves. */
  readonly cluster: EtcdCluster | null
}

/** One way to trouble servers; throws when they do not come through it as they must. */
export interface Fault {
  readonly name: string
  run(scene: Scene): Promise<void>
}

/** Ends a server without a word. */
export async function kill(scene: Scene, server: ServerProcess): Promise<void> {
  await server.kill()
  settle(scene)
}

/** Notes that a server has ended: what it did not answer has happened by now or never will. */
export function settle({ subject, history }: Scene): void {
  if (subject.endsWhole) history.settle(history.tick())
}

/** Clients are answered, reads and writes, from now on. */
export async function served({ load: { tally }, subject }: Scene): Promise<void> {
  const { written, read } = tally
  const said = subject.servers.map(({ errors }) => errors.slice(-2000)).join('')
  await until(
    `answers; the servers said: ${said || 'nothing'}`,
    () => tally.written >= written + 10 && tally.read >= read + 10,
  )
}

/** Clients are answered, and every server finds itself well. */
export async function recovered(scene: Scene): Promise<void> {
  await served(scene)
  for (const server of scene.subject.servers) await ready(server, true)
}

/** Waits until a server says that it is ready, or that it is not. */
export async function ready(server: ServerProcess, well: boolean): Promise<void> {
  const client = server.client()
  try {
    await until(`server that is ${well ? '' : 'not '}ready`, async () => {
      const { status } = await client.get('/readyz')
      return (status === 200) === well
    })
  } finally {
    client.close()
  }
}

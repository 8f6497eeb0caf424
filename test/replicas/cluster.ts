/** Several servers, each a process of its own, over one etcd and behind one balancer. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../ports.ts'
import { ServerProcess } from '../faults/subject.ts'
import { startEtcd } from '../store/etcd.ts'
import { startBalancer, type Balancer } from './balancer.ts'

/** What clients see of the servers, and what can be done to them. */
export interface Cluster {
  readonly replicas: readonly ServerProcess[]
  /** Its targets are the replicas, in their order. */
  readonly balancer: Balancer
  /** The administrator's configuration, for the balancer. */
  readonly kubeconfig: string
  /** The same for one of the replicas. */
  kubeconfigOf(replica: number): string
  close(): Promise<void>
}

/** Starts them in the vocabulary that stock clients know. */
export async function startCluster(size: number): Promise<Cluster> {
  const dir = await mkdtemp(join(tmpdir(), 'replicas-'))
  const closers: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })]
  const close = async () => {
    for (const end of closers.splice(0).reverse()) await end()
  }
  try {
    const etcd = await startEtcd()
    closers.push(() => etcd.close())
    const flags = [
      `--etcd-servers=${etcd.url}`,
      '--vocabulary=kubernetes',
      // What the tests write stays as it is.
      '--controllers=api',
    ]
    const dirs = Array.from({ length: size }, (_, i) => join(dir, `${i}`))
    const ports: number[] = []
    for (const _ of dirs) ports.push(await freePort())
    const replicas = dirs.map((dataDir, i) => new ServerProcess(dataDir, ports[i]!, flags))
    for (const replica of replicas) closers.push(() => replica.kill())
    await Promise.all(replicas.map((replica) => replica.start()))
    const balancer = await startBalancer(ports)
    closers.push(() => balancer.close())
    const config = await readFile(join(dirs[0]!, 'admin.kubeconfig'), 'utf8')
    const at = (port: number) => config.replace(/server: \S+/, `server: https://127.0.0.1:${port}`)
    return {
      replicas,
      balancer,
      kubeconfig: at(balancer.port),
      kubeconfigOf: (replica) => at(ports[replica]!),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

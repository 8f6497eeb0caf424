/** An etcd as a process of the run, with its data in a folder of the run. */
import { spawnSync, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../test/ports.ts'
import type { Workspace } from './workspace.ts'

const PATIENCE_MS = 15_000
const LOOK_MS = 25

/** A running etcd. */
export interface Etcd {
  readonly url: string
  /** Process whose CPU time is counted. */
  readonly pid: number
  end(): Promise<void>
}

/** Whether the machine has the program. */
export const hasEtcd = (): boolean => spawnSync('etcd', ['--version']).status === 0

/** Starts an etcd alone, without TLS, that takes what the product writes; flushes as it does by default. */
export async function startEtcd(workspace: Workspace): Promise<Etcd> {
  const folder = workspace.folder()
  const [port, peerPort] = [await freePort(), await freePort()]
  const [url, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const argv = [
    ...['etcd', '--name=one', `--data-dir=${join(folder, 'data')}`],
    ...['--logger=zap', `--log-outputs=${join(folder, 'log')}`, '--log-level=error'],
    ...[`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`],
    ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
    ...[`--initial-cluster=one=${peer}`, '--max-txn-ops=1024', '--max-request-bytes=8388608'],
    '--quota-backend-bytes=8589934592',
  ]
  // Its libraries warn of connections that ended.
  const child = workspace.command(argv, {}, 'ignore', 'ignore')
  child.on('error', () => {})
  child.stdout?.resume()
  await answers(child, url)
  return { url, pid: child.pid ?? 0, end: () => workspace.end(child) }
}

/** A new etcd listens up to a second before it has elected itself and answers. */
async function answers(child: ChildProcess, url: string): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until;) {
    if (child.pid === undefined || child.exitCode !== null) break
    const answer = await fetch(`${url}/health`).catch(() => null)
    if (answer?.ok) return
    await wait(LOOK_MS)
  }
  throw new Error('etcd did not start')
}

/** How long does a person wait for a command? */
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Bench, Question } from '../bench.ts'
import { ownChildrenCpuSeconds } from '../machine.ts'
import type { Row, Sample } from '../measure.ts'

const PROGRAM = join('dist', 'bin', 'orchctl.js')
/** The same request by Node.js alone: a client certificate, the authority of the cluster, the response on stdout. */
const PLAIN_REQUEST = `
  const { url, ...identity } = JSON.parse(process.env.PLAIN_REQUEST)
  require('node:https').get(url, identity, (response) => response.pipe(process.stdout))
`
const LIST_PATH = '/api/v1/namespaces/default/configmaps'
const RUNS = 15
const FEW_RUNS = 2

export const command: Question = {
  name: 'command',
  stores: ['lmdb'],
  async ask(bench: Bench): Promise<Row[]> {
    const ours = await bench.ours()
    const { port = 0, ca, cert, key } = ours?.target ?? {}
    const env = {
      PLAIN_REQUEST: JSON.stringify({
        url: `https://127.0.0.1:${port}${LIST_PATH}`,
        ca,
        cert,
        key,
      }),
      ORCHCONFIG: ours === null ? '' : join(ours.dataDir, 'admin.kubeconfig'),
      HOME: bench.workspace.folder(),
      // A list of authorities that bare Node would read as well, which takes longer than all else it does.
      NODE_EXTRA_CA_CERTS: '',
    }
    const run = async (...args: readonly string[]): Promise<Sample> => {
      const [from, cpu] = [performance.now(), ownChildrenCpuSeconds()]
      const child = bench.workspace.command([process.execPath, ...args], env)
      child.stdout?.resume()
      const code = await new Promise((resolve) => child.once('close', resolve))
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`)
      return {
        value: performance.now() - from,
        cpuMicros: (ownChildrenCpuSeconds() - cpu) * 1e6,
        loadCores: null,
      }
    }
    const get = () => run(PROGRAM, 'get', 'configmaps')
    // The first one asks what the server serves, and keeps it.
    if (ours !== null) await get()
    const row = (what: string, goal: Row['goal'], bare: readonly string[] | null) =>
      bench.alternate(
        { question: 'command', what, unit: 'ms', goal },
        ours && get,
        bare && (() => run(...bare)),
        { rounds: bench.options.seconds >= 1 ? RUNS : FEW_RUNS },
      )
    return [
      await row(
        'orchctl get, to the same request by bare node',
        { of: 'ratio', is: 'at most', number: 1.3 },
        ours && ['-e', PLAIN_REQUEST],
      ),
      // No goal: TLS alone takes half as long as an empty process.
      await row('orchctl get, to bare node that does nothing', null, ['-e', '0']),
    ]
  },
}

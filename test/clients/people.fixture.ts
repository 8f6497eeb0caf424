/** A server with two namespaces and somebody of one of them, and a kubectl that knows people by contexts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Kubectl, type Outcome } from './kubectl.ts'

/** `limited` may edit in the namespace `own`; there is something in `other`. */
export class People {
  readonly dir: string
  readonly server: RunningServer
  /** The administrator, unless told otherwise. */
  readonly kubectl: Kubectl

  private constructor(dir: string, server: RunningServer, kubectl: Kubectl) {
    this.dir = dir
    this.server = server
    this.kubectl = kubectl
  }

  static async start(): Promise<People> {
    const dir = await mkdtemp(join(tmpdir(), 'people-'))
    await writeFile(join(dir, 'tokens.csv'), 'limited-token,limited,1,"team"\n')
    const server = await startServer({
      vocabulary: 'kubernetes',
      dataDir: dir,
      store: 'memory',
      authentication: { tokenAuthFile: join(dir, 'tokens.csv') },
    })
    await server.settled()
    const kubectl = await Kubectl.for(server.kubeconfig)
    const people = new People(dir, server, kubectl)
    await kubectl.ok('create', 'namespace', 'own')
    await kubectl.ok('create', 'namespace', 'other')
    const grant = ['--clusterrole=edit', '--user=limited', '-n', 'own']
    await kubectl.ok('create', 'rolebinding', 'limited', ...grant)
    await kubectl.ok('run', 'p', '--image=i', '-n', 'other')
    await kubectl.ok('create', 'configmap', 'm', '-n', 'other', '--from-literal=a=b')
    await people.add('limited', '--token=limited-token')
    return people
  }

  /** Puts somebody into the configuration, with a context of the same name. */
  async add(name: string, ...credentials: string[]): Promise<string> {
    const { kubectl } = this
    const cluster = await kubectl.ok('config', 'view', '-o', 'jsonpath={.clusters[0].name}')
    const told = await kubectl.ok('config', 'set-credentials', name, ...credentials)
    await kubectl.ok('config', 'set-context', name, `--cluster=${cluster}`, `--user=${name}`)
    return told
  }

  as(name: string, ...args: string[]): Promise<Outcome> {
    return this.kubectl.run([`--context=${name}`, ...args])
  }

  async close(): Promise<void> {
    await this.kubectl.close()
    await this.server.close()
    await rm(this.dir, { recursive: true, force: true })
  }
}

/** The exit code and everything that was printed. */
export const lines = ({ code, stdout, stderr }: Outcome): unknown[] => [
  code,
  `${stdout}${stderr}`.trim(),
]

/** What kubectl makes of a 403; `what` is the beginning of the text behind `cannot`. */
export const forbidden = (what: string, user = 'limited'): unknown[] => [
  1,
  expect.stringMatching(
    new RegExp(`^Error from server \\(Forbidden\\): .*User "${user}" cannot ${what}`),
  ),
]

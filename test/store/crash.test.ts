/** A loaded server is killed again and again: what it acknowledged must be there, and watches must go on. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Client, type Watch } from '../client.ts'
import { programOf } from '../program.ts'

const ROUNDS = 6
/** Many share transactions; of few, each has one that goes through the journal. */
const CALLERS = [64, 2]
const NS = '/api/v1/namespaces/default/configmaps'

interface Running {
  readonly child: ChildProcess
  readonly client: Client
}

interface List {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly resourceVersion: string }
  }[]
}

async function start(dir: string): Promise<Running> {
  const child = spawn(
    process.execPath,
    [...programOf(), 'server', '--data-dir', dir, '--secure-port', '0'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let errors = ''
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${errors}`)))
  })
  const kubeconfig = await readFile(join(dir, 'admin.kubeconfig'), 'utf8')
  const url = /server: (\S+)/.exec(kubeconfig)![1]!
  const ca = Buffer.from(
    /certificate-authority-data: (\S+)/.exec(kubeconfig)![1]!,
    'base64',
  ).toString()
  return { child, client: new Client({ url, ca, kubeconfig }) }
}

test(
  `${ROUNDS} kills under load lose nothing and repeat nothing`,
  { timeout: 240_000 },
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'crash-'))
    const acknowledged = new Map<string, number>()
    /** Names in the order in which watches showed them, over all restarts. */
    const seen = new Map<string, number>()
    const padding = 'x'.repeat(1000)
    let last = 0
    let serial = 0
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const { child, client } = await start(dir)
        if (last === 0) {
          // What the server itself publishes may be there before the first list or come after it.
          const { metadata, items } = (await client.get(NS)).body as List
          last = Number(metadata.resourceVersion)
          for (const { metadata: of } of items) seen.set(of.name, Number(of.resourceVersion))
        }
        const watch = await client.watch(`${NS}?watch=1&resourceVersion=${last}`)
        const following = follow(watch, (name, revision) => {
          expect(revision, 'revisions rise').toBeGreaterThan(last)
          expect(seen.has(name), `${name} shows once`).toBe(false)
          seen.set(name, revision)
          last = revision
        })
        const goal = acknowledged.size + 150 + ((round * 37) % 200)
        let killed = false
        const callers = Array.from({ length: CALLERS[round % 2]! }, async () => {
          while (!killed) {
            const name = `n${serial++}`
            try {
              const reply = await client.post(NS, { metadata: { name }, data: { padding } })
              if (reply.status !== 201) throw new Error(reply.text)
              acknowledged.set(name, Number(reply.body.metadata.resourceVersion))
            } catch (error) {
              if (!killed && child.exitCode === null && child.signalCode === null) throw error
              return
            }
            if (acknowledged.size >= goal && !killed) {
              killed = true
              child.kill('SIGKILL')
            }
          }
        })
        await Promise.all(callers)
        await new Promise<void>((resolve) => {
          if (child.exitCode !== null || child.signalCode !== null) resolve()
          else child.once('exit', () => resolve())
        })
        await following
        client.close()
      }
      const { child, client } = await start(dir)
      const list = await client.get(NS)
      const { items } = list.body as List
      const stored = new Map(
        items.map(({ metadata }) => [metadata.name, Number(metadata.resourceVersion)]),
      )
      const lost = [...acknowledged].filter(([name, revision]) => stored.get(name) !== revision)
      expect(lost).toEqual([])
      // What the last watch did not get to show comes with the next one.
      const watch = await client.watch(`${NS}?watch=1&resourceVersion=${last}&timeoutSeconds=1`)
      await follow(watch, (name, revision) => {
        expect(seen.has(name)).toBe(false)
        seen.set(name, revision)
      })
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(stored))
      expect(acknowledged.size).toBeGreaterThan(ROUNDS * 150)
      client.close()
      child.kill('SIGTERM')
      await new Promise<void>((resolve) => child.once('exit', () => resolve()))
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  },
)

async function follow(watch: Watch, show: (name: string, revision: number) => void): Promise<void> {
  for (;;) {
    const event = await watch.next()
    if (!event) return
    expect(event.type).toBe('ADDED')
    show(event.object.metadata.name as string, Number(event.object.metadata.resourceVersion))
  }
}

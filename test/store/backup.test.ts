/** Backups of a real server under load, and what a server says that was restored from one. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBackup } from '../../src/engine/backup/read.ts'
import { Client, type Watch } from '../client.ts'
import { programOf } from '../program.ts'

const NS = '/api/v1/namespaces/default/configmaps'
const MAIN = join(import.meta.dirname, '..', '..', 'bin', 'orch.ts')
const CALLERS = 16
const BACKUPS = 3

let dir = ''
const children: ChildProcess[] = []
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'backup-'))
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(dir, { recursive: true, force: true })
})

function program(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [...programOf(), ...args])
  children.push(child)
  return child
}

async function run(...args: string[]) {
  const child = program(...args)
  let [stdout, stderr] = ['', '']
  child.stdout!.on('data', (data: Buffer) => (stdout += data.toString()))
  child.stderr!.on('data', (data: Buffer) => (stderr += data.toString()))
  const [code] = (await once(child, 'close')) as [number]
  return { code, stdout, stderr }
}

async function start(dataDir: string): Promise<{ child: ChildProcess; client: Client }> {
  const child = program('server', '--data-dir', dataDir, '--secure-port', '0')
  let errors = ''
  child.stderr!.on('data', (data: Buffer) => (errors += data.toString()))
  await new Promise<void>((resolve, reject) => {
    child.stdout!.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${errors}`)))
  })
  const kubeconfig = await readFile(join(dataDir, 'admin.kubeconfig'), 'utf8')
  const text = (name: string) => new RegExp(`${name}: (\\S+)`).exec(kubeconfig)![1]!
  const ca = Buffer.from(text('certificate-authority-data'), 'base64').toString()
  return { child, client: new Client({ url: text('server'), ca, kubeconfig }) }
}

/** One thing that happened, as a watch showed it. */
interface Happened {
  readonly type: string
  readonly name: string
  readonly at: number
}

async function follow(watch: Watch, until: string, log: Happened[]): Promise<void> {
  for (;;) {
    const event = await watch.next()
    if (!event) return
    const { name, resourceVersion } = event.object.metadata
    log.push({ type: event.type, name, at: Number(resourceVersion) })
    if (name === until) return
  }
}

/** Makes, changes and deletes, over and over, until it is told to stop. */
async function load(client: Client, caller: number, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    const name = `c${caller}-${i}`
    const object = { metadata: { name }, data: { padding: 'x'.repeat(500) } }
    const statuses = [(await client.post(NS, object)).status]
    if (i % 2 === 0) {
      statuses.push((await client.put(`${NS}/${name}`, { ...object, data: { i: `${i}` } })).status)
    }
    if (i % 3 === 0) statuses.push((await client.delete(`${NS}/${name}`)).status)
    if (statuses.some((status) => status > 201)) throw new Error(`answers ${statuses.join()}`)
  }
}

/** Config maps of the namespace as a backup has them. */
async function configMapsOf(path: string) {
  const backup = await openBackup(path)
  const found: [string, number][] = []
  for await (const part of backup.read()) {
    for (const { key, changed } of 'items' in part ? part.items : []) {
      const name = /configmaps\/default\/(c\d.*)$/.exec(key)?.[1]
      if (name !== undefined) found.push([name, changed])
    }
  }
  await backup.close()
  return { revision: backup.heading.revision, found: Object.fromEntries(found) }
}

function stateAt(log: readonly Happened[], revision: number): Record<string, number> {
  const state = new Map<string, number>()
  for (const { type, name, at } of log) {
    if (at > revision) break
    if (!/^c\d/.test(name)) continue
    if (type === 'DELETED') state.delete(name)
    else state.set(name, at)
  }
  return Object.fromEntries(state)
}

test('each backup of a loaded server is one of its states; time does not run back', async () => {
  const [old, data] = [join(dir, 'old'), join(dir, 'new')]
  const { child, client } = await start(old)
  const first = await client.get(NS)
  const log: Happened[] = []
  const since = first.body.metadata.resourceVersion as string
  const watch = await client.watch(`${NS}?watch=1&resourceVersion=${since}`)
  const following = follow(watch, 'end', log)
  let isOver = false
  const callers = Array.from({ length: CALLERS }, (_, i) => load(client, i, () => isOver))
  const paths = Array.from({ length: BACKUPS }, (_, i) => join(dir, `${i}.backup`))
  for (const path of paths) {
    const pki = path === paths.at(-1) ? ['--with-pki'] : []
    const { code, stdout, stderr } = await run('backup', '--data-dir', old, '--file', path, ...pki)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^wrote \d+ objects at revision \d+( and 8 files of keys)? to \S+\n$/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  }
  isOver = true
  await Promise.all(callers)
  // What comes last ends the following.
  const end = await client.post(NS, { metadata: { name: 'end' } })
  const last = Number(end.body.metadata.resourceVersion)
  await following

  let before = 0
  for (const path of paths) {
    const { revision, found } = await configMapsOf(path)
    expect(found).toEqual(stateAt(log, revision))
    expect(revision).toBeGreaterThan(before)
    expect(revision).toBeLessThan(last)
    before = revision
  }
  expect(Object.keys(stateAt(log, before)).length).toBeGreaterThan(BACKUPS * CALLERS)

  // The server is lost, after clients saw more than the backup has.
  const token = (await client.get(`${NS}?limit=1`)).body.metadata.continue as string
  child.kill('SIGKILL')
  await once(child, 'exit')
  client.close()
  const path = paths.at(-1)!
  expect(await run('restore', '--file', path, '--check')).toMatchObject({ code: 0, stderr: '' })
  const restored = await run('restore', '--file', path, '--data-dir', data)
  expect({ ...restored, stdout: restored.stdout.replace(/\d+ objects/, 'N objects') }).toEqual({
    code: 0,
    stdout: `restored N objects of revision ${before} and 8 files of keys to ${data}, which is at revision 2000000 now\n`,
    stderr: '',
  })
  expect((await readdir(data)).sort()).toEqual(['pki', 'store'])
  expect(await run('restore', '--file', path, '--data-dir', data)).toEqual({
    code: 1,
    stdout: '',
    stderr: `orch restore: ${join(data, 'store')} holds a store already; choose another directory with --data-dir\n`,
  })

  const again = await start(data)
  // The same authority and the same keys: who trusted the old server trusts this one.
  expect(await readFile(join(data, 'pki', 'ca.crt'))).toEqual(
    await readFile(join(old, 'pki', 'ca.crt')),
  )
  const list = (await again.client.get(NS)).body
  expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(2_000_000)
  const listed = (list.items as { metadata: { name: string; resourceVersion: string } }[]).flatMap(
    ({ metadata: { name, resourceVersion } }): [string, number][] =>
      /^c\d/.test(name) ? [[name, Number(resourceVersion)]] : [],
  )
  expect(Object.fromEntries(listed)).toEqual(stateAt(log, before))
  for (const at of [Number(since), before, before + 1, last, 1_999_999]) {
    const reply = await again.client.get(`${NS}?resourceVersion=${at}&resourceVersionMatch=Exact`)
    expect([at, reply.status, reply.body.reason]).toEqual([at, 410, 'Expired'])
    const stale = await again.client.watch(`${NS}?watch=1&resourceVersion=${at}`)
    const event = await stale.next()
    expect([at, event?.type, event?.object.code, event?.object.reason]).toEqual([
      at,
      'ERROR',
      410,
      'Expired',
    ])
  }
  const further = await again.client.get(`${NS}?limit=1&continue=${token}`)
  expect([further.status, further.body.reason]).toEqual([410, 'Expired'])
  const made = await again.client.post(NS, { metadata: { name: 'made-after' } })
  expect(Number(made.body.metadata.resourceVersion)).toBeGreaterThan(2_000_000)
  again.client.close()
  again.child.kill('SIGTERM')
  await once(again.child, 'exit')
}, 180_000)

test('what commands cannot do they say in a line', async () => {
  const none = join(dir, 'none')
  for (const { args, stderr } of [
    {
      args: ['backup'],
      stderr: 'orch backup: --file must not be empty\nSee orch backup --help.\n',
    },
    {
      args: ['backup', '--file', join(dir, 'x'), '--data-dir', none],
      stderr: `orch backup: there is no store in ${join(none, 'store')}; choose another with --data-dir\n`,
    },
    {
      args: ['restore', '--file', MAIN, '--data-dir', none],
      stderr: `orch restore: ${MAIN} is not a backup\n`,
    },
    {
      args: ['restore', '--file', none],
      stderr: `orch restore: ${none}: there is no such file\n`,
    },
    { args: ['migrate'], stderr: 'orch migrate: --etcd-servers must be specified\n' },
  ]) {
    expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr })
  }
  expect(await readdir(dir)).not.toContain('none')
})

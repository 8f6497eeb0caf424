/** Starts of the real program that cannot be, that are asked to end, and what they leave. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DISK_PREFIX, mountDisk, type Disk } from '../faults/disk.ts'
import { programOf } from '../program.ts'

const NOBODY = 65_534

let dir = ''
let full: Disk | string = 'not mounted'
let readOnly: Disk | string = 'not mounted'
const children: ChildProcess[] = []
/** Takes connections and never says a word. */
let silent: Server
let silentUrl = ''

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), `${DISK_PREFIX}${process.pid}-`))
  for (const name of ['full', 'read-only', 'closed']) mkdirSync(join(dir, name))
  // For the user nobody to get at the folder that is closed to it.
  chmodSync(dir, 0o755)
  chmodSync(join(dir, 'closed'), 0o755)
  writeFileSync(join(dir, 'file'), 'text')
  full = mountDisk(join(dir, 'full'), 4 << 20)
  if (typeof full !== 'string') full.fill()
  readOnly = mountDisk(join(dir, 'read-only'), 1 << 20)
  if (typeof readOnly !== 'string') readOnly.readOnly(true)
  silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => {
  silent.close()
  for (const disk of [full, readOnly]) if (typeof disk !== 'string') disk.unmount()
  rmSync(dir, { recursive: true, force: true })
})

interface Started {
  readonly child: ChildProcess
  readonly said: { stdout: string; stderr: string }
  readonly ended: Promise<unknown>
}

function start(
  args: readonly string[],
  { uid, umask }: { uid?: number; umask?: string } = {},
): Started {
  const program = [process.execPath, ...programOf(), 'server', '--secure-port=0', ...args]
  const words =
    umask === undefined ? program : ['sh', '-c', `umask ${umask}; exec "$@"`, 'sh', ...program]
  const child = spawn(words[0]!, words.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
    // The translator of the sources keeps what it made, which another user may not.
    env: { ...process.env, ...(uid === undefined ? {} : { TSX_DISABLE_CACHE: '1', HOME: '/' }) },
  })
  children.push(child)
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (data: Buffer) => (said.stdout += data.toString()))
  child.stderr.on('data', (data: Buffer) => (said.stderr += data.toString()))
  return { child, said, ended: once(child, 'close') }
}

const outcome = async ({ child, said, ended }: Started) => {
  await ended
  return { code: child.exitCode, signal: child.signalCode, ...said }
}

const ready = ({ child, ended }: Started) => Promise.race([once(child.stdout!, 'data'), ended])

const refused = (path: string, why: string) => ({
  code: 1,
  signal: null,
  stdout: '',
  stderr: `orch server: data directory ${path} cannot be used: ${why}; choose another with --data-dir\n`,
})

/** Everything below a folder, with its mode. */
function modesOf(path: string, under = ''): Record<string, string> {
  const modes: Record<string, string> = {}
  for (const entry of readdirSync(join(path, under), { withFileTypes: true })) {
    const name = join(under, entry.name)
    modes[name] = (statSync(join(path, name)).mode & 0o777).toString(8)
    if (entry.isDirectory()) Object.assign(modes, modesOf(path, name))
  }
  return modes
}

/** Stores that a start may be for: the one in the directory, and one that never answers. */
const stores = (): readonly (readonly string[])[] => [[], [`--etcd-servers=${silentUrl}`]]

describe('a data directory that cannot be', () => {
  const rows: readonly [
    title: string,
    path: () => string,
    why: (path: string) => string,
    options?: { readonly uid: number },
  ][] = [
    [
      'in /proc',
      () => '/proc/orch',
      (path) => `ENOENT: no such file or directory, mkdir '${path}'`,
    ],
    [
      'deep in /proc',
      () => '/proc/self/a/b',
      () => `ENOENT: no such file or directory, mkdir '/proc/self/a'`,
    ],
    ['that is a file', () => join(dir, 'file'), (path) => `${path} is not a directory`],
    [
      'in a file',
      () => join(dir, 'file', 'data'),
      (path) => `ENOTDIR: not a directory, mkdir '${path}'`,
    ],
    [
      'in a folder of another user',
      () => join(dir, 'closed', 'data'),
      (path) => `EACCES: permission denied, mkdir '${path}'`,
      { uid: NOBODY },
    ],
    [
      'that is the folder of another user',
      () => join(dir, 'closed'),
      (path) => `EACCES: permission denied, access '${path}'`,
      { uid: NOBODY },
    ],
    [
      'on a read-only file system',
      () => join(dir, 'read-only', 'a', 'data'),
      () => `EROFS: read-only file system, mkdir '${join(dir, 'read-only', 'a')}'`,
    ],
    [
      'that is a read-only file system',
      () => join(dir, 'read-only'),
      (path) => `EROFS: read-only file system, access '${path}'`,
    ],
  ]
  for (const [title, path, why, options] of rows)
    test(title, async ({ skip }) => {
      if (title.includes('read-only') && typeof readOnly === 'string') skip(readOnly)
      if (options && process.getuid?.() !== 0) skip('only root runs programs as another user')
      const said = await Promise.all(
        stores().map((flags) => outcome(start([`--data-dir=${path()}`, ...flags], options))),
      )
      expect(said).toEqual(stores().map(() => refused(path(), why(path()))))
      expect(readdirSync(dir).sort()).toEqual(['closed', 'file', 'full', 'read-only'])
      expect(readdirSync(join(dir, 'closed'))).toEqual([])
    })

  test('on a full disk', async ({ skip }) => {
    if (typeof full === 'string') return skip(full)
    const path = join(full.path, 'a', 'data')
    const why = `no space left, 0 KiB of at least 4096 are free; make room or choose another with --data-dir`
    expect(await outcome(start([`--data-dir=${path}`]))).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `orch server: data directory ${join(path, 'store')} cannot be used: ${why}\n`,
    })
    expect(readdirSync(full.path)).toEqual(['ballast'])
  })
})

test('a start that fails leaves nothing that was not there', async () => {
  const { port } = silent.address() as AddressInfo
  const there = join(dir, 'there')
  mkdirSync(there)
  for (const path of [join(dir, 'new', 'data'), there]) {
    for (const store of ['lmdb', 'memory']) {
      const flags = [`--data-dir=${path}`, `--store=${store}`, `--secure-port=${port}`]
      expect(await outcome(start(flags))).toEqual({
        code: 1,
        signal: null,
        stdout: '',
        stderr: `orch server: address 127.0.0.1:${port} is in use; choose another port with --secure-port\n`,
      })
    }
  }
  expect(existsSync(join(dir, 'new'))).toBe(false)
  expect(readdirSync(there)).toEqual([])
  rmSync(there, { recursive: true })
})

describe.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s', (signal, code) => {
  const stopped = (how: string) =>
    expect.stringMatching(
      new RegExp(`^\\S+Z info  stopped signal="${signal}" how="${how}"\n$`),
    ) as string

  test('while it waits for an etcd that does not answer', async () => {
    const path = join(dir, 'waiting')
    const connected = once(silent, 'connection')
    const server = start([`--data-dir=${path}`, `--etcd-servers=${silentUrl}`])
    await connected
    server.child.kill(signal)
    expect(await outcome(server)).toEqual({
      code,
      signal: null,
      stdout: '',
      stderr: stopped('before it was ready'),
    })
    rmSync(path, { recursive: true, force: true })
  })

  test('when it serves', async () => {
    const path = join(dir, 'serving')
    const server = start([`--data-dir=${path}`])
    await ready(server)
    server.child.kill(signal)
    expect(await outcome(server)).toEqual({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(/^orch is ready at .+\n$/) as string,
      stderr: stopped('in order'),
    })
    expect(readdirSync(join(path, 'store')).filter((name) => name === 'lock')).toEqual([])
    rmSync(path, { recursive: true })
  })
})

test('whatever is written is for its owner alone, whatever the umask', async () => {
  const path = join(dir, 'modes', 'data')
  const first = start([`--data-dir=${path}`], { umask: '000' })
  await ready(first)
  const modes = modesOf(join(dir, 'modes'))
  const folders = ['data', 'data/pki', 'data/store']
  expect(modes).toEqual(
    Object.fromEntries(
      Object.keys(modes).map((name) => [name, folders.includes(name) ? '700' : '600']),
    ),
  )
  expect(Object.keys(modes)).toEqual(
    expect.arrayContaining([
      ...['data/store/lock', 'data/store/data.mdb', 'data/store/data.mdb-lock'],
      ...['data/admin.kubeconfig', 'data/pki/ca.key', 'data/pki/ca.crt'],
    ]),
  )
  const backup = join(dir, 'modes', 'backup')
  const words = [...programOf(), 'backup', `--data-dir=${path}`, `--file=${backup}`]
  const done = spawnSync('sh', ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, ...words])
  expect(done.status).toBe(0)
  expect(statSync(backup).mode & 0o777).toBe(0o600)
  first.child.kill('SIGTERM')
  await first.ended

  // What an earlier release, or a copy, made wider is narrowed.
  const wide = ['store/data.mdb', 'store/data.mdb-lock', 'pki/ca.key', 'pki/sa.key']
  for (const name of wide) if (existsSync(join(path, name))) chmodSync(join(path, name), 0o666)
  chmodSync(join(path, 'store'), 0o777)
  const second = start([`--data-dir=${path}`])
  await ready(second)
  const narrowed = modesOf(path)
  expect(['store', ...wide].map((name) => narrowed[name])).toEqual([
    '700',
    '600',
    '600',
    '600',
    '600',
  ])
  second.child.kill('SIGTERM')
  expect((await outcome(second)).code).toBe(0)
})

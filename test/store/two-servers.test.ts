/** Real servers on one data directory: one has it, whatever the others see of its process, until it ends in any way. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Client } from '../client.ts'
import { until } from '../faults/waiting.ts'
import { programOf } from '../program.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']
/** Ways to a PID namespace of one's own: as root, and where users may have namespaces. */
const WAYS = [NAMESPACE, [...NAMESPACE, '--user', '--map-root-user']]
const apart = WAYS.find(
  ([program = '', ...args]) => spawnSync(program, [...args, 'true']).status === 0,
)
if (!apart)
  process.stderr.write(
    'no PID namespaces are permitted here: the servers run in one and the same\n',
  )

let dir = ''
const children: ChildProcess[] = []
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'two-servers-'))
})
afterEach(async () => {
  await Promise.all(children.splice(0).map(killed))
  rmSync(dir, { recursive: true, force: true })
})

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'close')
  child.kill('SIGKILL')
  await gone
}

/** Starts a server in a PID namespace of its own; what it says first, or ends with. */
async function start() {
  const [program = '', ...args] = [
    ...(apart ?? []),
    ...[process.execPath, ...programOf(), 'server', '--secure-port=0'],
    `--data-dir=${dir}`,
  ]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  const said = { stdout: '', stderr: '' }
  child.stderr.on('data', (data: Buffer) => (said.stderr += data.toString()))
  const ready = new Promise<void>((resolve) =>
    child.stdout.on('data', (data: Buffer) => {
      said.stdout += data.toString()
      resolve()
    }),
  )
  await Promise.race([ready, once(child, 'close')])
  return { child, said }
}

function clientOf(): Client {
  const kubeconfig = readFileSync(join(dir, 'admin.kubeconfig'), 'utf8')
  const url = /server: (\S+)/.exec(kubeconfig)![1]!
  const ca = /certificate-authority-data: (\S+)/.exec(kubeconfig)![1]!
  return new Client({ url, ca: Buffer.from(ca, 'base64').toString(), kubeconfig })
}

const READY = /^orch is ready at /
const REFUSED =
  /^orch server: data directory .+ is in use by .+; stop it or choose another with --data-dir\n$/

test('a second server in another PID namespace is refused, and harms nothing', async () => {
  const first = await start()
  expect(first.said).toEqual({ stdout: expect.stringMatching(READY) as string, stderr: '' })
  const client = clientOf()
  const made = await client.post(MAPS, { metadata: { name: 'a' } })
  expect(made.status).toBe(201)
  const [pid] = readFileSync(join(dir, 'store', 'lock'), 'utf8').split(' ')

  for (let i = 0; i < 2; i++) {
    const { child, said } = await start()
    const who = apart
      ? `process ${pid} of ${hostname()}, in another container or machine`
      : `process ${pid}`
    expect({ code: child.exitCode, ...said }).toEqual({
      code: 1,
      stdout: '',
      stderr: `orch server: data directory ${join(dir, 'store')} is in use by ${who}; stop it or choose another with --data-dir\n`,
    })
  }
  expect(readdirSync(join(dir, 'store'))).toContain('lock')
  const after = await client.post(MAPS, { metadata: { name: 'b' } })
  expect(after.status).toBe(201)
  client.close()

  // Ended without a word, it is in nobody's way, and the next goes on where it was.
  await killed(first.child)
  const next = await untilReady()
  const again = clientOf()
  const versions = [made, after].map(({ body }) => body.metadata.resourceVersion as string)
  const found = await Promise.all(['a', 'b'].map((name) => again.get(`${MAPS}/${name}`)))
  expect(found.map(({ body }) => body.metadata.resourceVersion as string)).toEqual(versions)
  again.close()
  await killed(next.child)
})

test('of several that start at one time one serves', async () => {
  const all = await Promise.all(Array.from({ length: 3 }, start))
  const words = all.map(({ said }) => `${said.stdout}${said.stderr}`)
  expect(words.filter((word) => READY.test(word))).toHaveLength(1)
  expect(words.filter((word) => REFUSED.test(word))).toHaveLength(2)
  const client = clientOf()
  expect((await client.post(MAPS, { metadata: { name: 'a' } })).status).toBe(201)
  client.close()
})

/** The namespace of a killed server goes a moment after the program that made it. */
async function untilReady() {
  let last = await start()
  await until('server that is ready', async () => {
    if (READY.test(last.said.stdout)) return true
    expect(last.said.stderr).toMatch(REFUSED)
    last = await start()
    return READY.test(last.said.stdout)
  })
  return last
}

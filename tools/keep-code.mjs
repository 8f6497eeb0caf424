// Keeps the code that V8 makes of the programs where they start: node tools/keep-code.mjs LOADER SCRIPT
//
// A server is started in an empty folder and then again in the same, asked a little each time, and ended; where there is
// an etcd, also twice on that. Functions that were called by then are in the kept code; others are compiled when they are
// first called, as without it.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [loader, path] = process.argv.slice(2)
const { CODE_SUFFIX, openScript } = await import(pathToFileURL(loader))
rmSync(path + CODE_SUFFIX, { force: true })
const script = openScript(path)
const { main, packageVersion, server } = script.run()
// Given, so that the command leaves the flags of this process: kept code is good for the flags that it was made under.
const { startServer: start } = await server()
// What follows on a start has until then.
const SETTLE_MS = 1000

const ETCD_PATIENCE_MS = 10_000
const LOOK_MS = 25

const folder = mkdtempSync(join(tmpdir(), 'keep-code-'))
const etcd = await startEtcd(join(folder, 'etcd'))
try {
  for (let start = 0; start < 2; start++) await serve(join(folder, 'data'))
  if (etcd !== null)
    for (let start = 0; start < 2; start++)
      await serve(join(folder, 'on-etcd'), ['--etcd-servers', etcd.url])
} finally {
  etcd?.child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
writeFileSync(path + CODE_SUFFIX, script.code())
process.exit(0)

/** One start, a few questions, and the end. */
async function serve(dir, flags = []) {
  let end
  let said = ''
  const exited = new Promise((resolve, reject) => {
    const terminal = {
      out: (text) => void ask(dir, text).then(() => end(), reject),
      err: (text) => (said += text),
      onSignal: (call) => (end = call),
      exit: (code) => (code === 0 ? resolve() : reject(new Error(said))),
    }
    const args = ['server', '--data-dir', dir, '--secure-port', '0', ...flags]
    main(args, { version: packageVersion(), terminal, start }).catch(reject)
  })
  await exited
}

async function ask(dir, ready) {
  const [url] = /https:\S+/.exec(ready)
  const config = readFileSync(join(dir, 'admin.kubeconfig'), 'utf8')
  const [ca, cert, key] = ['certificate-authority', 'client-certificate', 'client-key'].map(
    (name) => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(config)[1], 'base64'),
  )
  const get = (path) =>
    new Promise((resolve, reject) => {
      const asking = request(new URL(path, url), { ca, cert, key, agent: false }, (answer) =>
        answer.resume().once('end', resolve),
      )
      asking.once('error', reject).end()
    })
  await get('/readyz')
  await get('/api/v1/namespaces')
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
}

/** An etcd of our own; null where there is none. */
async function startEtcd(dir) {
  const [url, peer] = [await freeUrl(), await freeUrl()]
  const flags = [
    ...['--data-dir', dir, '--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--name', 'one', '--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--initial-cluster', `one=${peer}`],
  ]
  const child = spawn('etcd', flags, { stdio: 'ignore' })
  let isThere = true
  child.once('error', () => (isThere = false))
  child.once('exit', () => (isThere = false))
  const until = Date.now() + ETCD_PATIENCE_MS
  while (isThere && Date.now() < until) {
    const health = await fetch(`${url}/health`).catch(() => null)
    if (health?.ok) return { child, url }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  child.kill('SIGKILL')
  return null
}

async function freeUrl() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

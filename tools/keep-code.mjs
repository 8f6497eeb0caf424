// Keeps the code that V8 makes of the programs where they start: node tools/keep-code.mjs LOADER SCRIPT
//
// A server is started in an empty folder and then again in the same, asked a little each time, and ended. Functions that
// were called by then are in the kept code; others are compiled when they are first called, as without it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
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

const folder = mkdtempSync(join(tmpdir(), 'keep-code-'))
try {
  for (let start = 0; start < 2; start++) await serve(join(folder, 'data'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
writeFileSync(path + CODE_SUFFIX, script.code())
process.exit(0)

/** One start, a few questions, and the end. */
async function serve(dir) {
  let end
  let said = ''
  const exited = new Promise((resolve, reject) => {
    const terminal = {
      out: (text) => void ask(dir, text).then(() => end(), reject),
      err: (text) => (said += text),
      onSignal: (call) => (end = call),
      exit: (code) => (code === 0 ? resolve() : reject(new Error(said))),
    }
    const args = ['server', '--data-dir', dir, '--secure-port', '0']
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

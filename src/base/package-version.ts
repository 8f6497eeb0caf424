import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

let version: string | null = null

/** Version of this package. */
export function packageVersion(): string {
  if (version !== null) return version
  try {
    // Sources and built files lie at the same depth below the package's root.
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    version = (JSON.parse(text) as { version: string }).version
    return version
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return '0.0.0'
}

/** Build information, written beside the built files by `npm run build`. */
export interface Build {
  /** 40 hexadecimal digits. */
  readonly gitCommit: string
  /** `clean`, `dirty`, or `archive` without a repository. */
  readonly gitTreeState: string
  /** RFC 3339, in seconds. */
  readonly buildDate: string
}

let build: Build | null = null

/** The build that runs. Sources that no build has seen have digits of the version for a commit, always the same. */
export function buildInfo(): Build {
  return (build ??= readBuild() ?? unbuilt())
}

function readBuild(): Build | null {
  try {
    return JSON.parse(readFileSync(new URL('./build.json', import.meta.url), 'utf8')) as Build
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}

const unbuilt = (): Build => ({
  gitCommit: createHash('sha1').update(packageVersion()).digest('hex'),
  gitTreeState: 'archive',
  buildDate: '1970-01-01T00:00:00Z',
})

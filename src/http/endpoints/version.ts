import { arch, platform } from 'node:os'
import { gitVersion, RELEASE } from '../../base/release.ts'
import type { Endpoint } from '../context.ts'

/** Build information of the program. */
export interface BuildInfo {
  /** Version of this program, for instance `0.1.0`. */
  readonly version: string
  /** Hexadecimal digits. */
  readonly gitCommit: string
  readonly gitTreeState: string
  /** RFC 3339, in seconds. */
  readonly buildDate: string
}

/** `/version`: the release that clients may rely on. */
export function versionEndpoint(build: BuildInfo): Endpoint {
  const processor = arch() === 'x64' ? 'amd64' : arch()
  const body = JSON.stringify(
    {
      ...RELEASE,
      gitVersion: gitVersion(build.version),
      gitCommit: build.gitCommit,
      gitTreeState: build.gitTreeState,
      buildDate: build.buildDate,
      goVersion: `node${process.versions.node}`,
      compiler: 'node',
      platform: `${platform()}/${processor}`,
    },
    null,
    2,
  )
  return () => ({ status: 200, headers: ['content-type', 'application/json'], body })
}

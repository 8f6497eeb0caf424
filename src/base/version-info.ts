import { arch, platform } from 'node:os'
import { buildInfo, packageVersion } from './package-version.ts'

/** Release whose behaviour the programs implement. */
const MAJOR = '1'
const MINOR = '25'

/** The release as text, such as 1.25. */
export const RELEASE = `${MAJOR}.${MINOR}`

/** The version as clients read it, for instance `v1.25.0+0.1.0`. */
export const gitVersion = (version: string): string => `v${MAJOR}.${MINOR}.0+${version}`

/** What `/version` and `--version=raw` say: the release that clients may rely on, and the build. */
export function versionInfo() {
  const { gitCommit, gitTreeState, buildDate } = buildInfo()
  return {
    major: MAJOR,
    minor: MINOR,
    gitVersion: gitVersion(packageVersion()),
    gitCommit,
    gitTreeState,
    buildDate,
    goVersion: `node${process.versions.node}`,
    compiler: 'node',
    platform: `${platform()}/${arch() === 'x64' ? 'amd64' : arch()}`,
  }
}

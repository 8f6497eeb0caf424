/** version: shows the versions of the program and of the server. */
import { buildInfo } from '../../base/package-version.ts'
import { toYaml } from '../../codec/yaml.ts'
import { formatJson } from '../../codec/json-text.ts'
import type { Command } from '../base/command.ts'
import { Fault, throwAll } from '../base/faults.ts'

interface VersionInfo {
  readonly major?: string
  readonly minor?: string
  readonly gitVersion?: string
}

export const version: Command = {
  use: '[flags]',
  text: 'Shows the versions of the program and of the server.',
  flags: {
    client: { type: 'bool', help: 'If true, shows client version only (no server required).' },
    output: { type: 'text', short: 'o', help: "One of 'yaml' or 'json'." },
    short: { type: 'bool', help: 'If true, print just the version number.' },
  },
  async run(c) {
    const output = c.flags.text('output')
    if (output !== '' && output !== 'json' && output !== 'yaml') {
      throw new Fault(`error: --output must be 'yaml' or 'json'`)
    }
    const { gitCommit, gitTreeState, buildDate } = buildInfo()
    const clientVersion = {
      gitVersion: `v${c.version}`,
      gitCommit,
      gitTreeState,
      buildDate,
      platform: `${process.platform}/${process.arch}`,
      runtime: process.version,
    }
    let serverVersion: VersionInfo | null = null
    const failures: unknown[] = []
    if (!c.flags.is('client')) {
      try {
        serverVersion = await (await c.api()).json<VersionInfo>({ path: '/version' })
      } catch (error) {
        failures.push(error)
      }
    }
    const both = { clientVersion, ...(serverVersion ? { serverVersion } : {}) }
    if (output === 'json') c.out(`${formatJson(both, 2)}\n`)
    else if (output === 'yaml') c.out(`${await toYaml(both)}\n`)
    else {
      c.out(`Client Version: ${clientVersion.gitVersion}\n`)
      if (serverVersion) c.out(`Server Version: ${serverVersion.gitVersion}\n`)
    }
    throwAll(failures)
  },
}

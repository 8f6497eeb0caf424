import { versionInfo } from '../base/version-info.ts'

/** What a program prints for `--version`, and for `--version=raw`. */
export const versionText = (name: string, version: string, how: boolean | 'raw'): string =>
  how === 'raw' ? `${JSON.stringify(versionInfo(), null, 2)}\n` : `${name} ${version}\n`

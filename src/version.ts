import { readFileSync } from 'node:fs'

let version: string | null = null

/** Version of this package. */
export function packageVersion(): string {
  if (version !== null) return version
  // Sources and built files lie at different depths below the package's root.
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const text = readFileSync(new URL(up, import.meta.url), 'utf8')
      version = (JSON.parse(text) as { version: string }).version
      return version
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return '0.0.0'
}

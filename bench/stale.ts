import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A remark when sources are newer than what was built of them; null when all is well. */
export function staleNote(root: string, built: string): string | null {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs
  if (builtAt === undefined) return null
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const newer = sources.some(
    (file) =>
      file.endsWith('.ts') &&
      !file.endsWith('.test.ts') &&
      statSync(join(root, 'src', file)).mtimeMs > builtAt,
  )
  return newer
    ? 'note: src/ is newer than what was measured; npm run build brings dist/ up to date'
    : null
}

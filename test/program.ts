/** The programs, as tests start them in processes of their own. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = ['bin', 'src', 'tools']

let isFresh: boolean | null = null

/**
 * The arguments of Node.js that run a program: as it was built, which starts several times faster, and from sources
 * where they are newer than the build.
 */
export function programOf(name = 'orch'): readonly string[] {
  isFresh ??= isBuildFresh()
  return isFresh
    ? [join(ROOT, 'dist', 'bin', `${name}.js`)]
    : ['--import', 'tsx', join(ROOT, 'bin', `${name}.ts`)]
}

function isBuildFresh(): boolean {
  const built = join(ROOT, 'dist', 'src', 'program.js')
  if (!existsSync(built)) return false
  const { mtimeMs } = statSync(built)
  return SOURCES.every((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|mjs)$/.test(file) && !/\.(?:test|fixture)\.ts$/.test(file))
      .every((file) => statSync(join(ROOT, folder, file)).mtimeMs < mtimeMs),
  )
}

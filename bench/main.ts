/** Asks the questions that were chosen and prints what they gave. */
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Bench } from './bench.ts'
import type { Row } from './measure.ts'
import { help, parseOptions } from './options.ts'
import { questions } from './questions/index.ts'
import { jsonReport, textReport } from './report.ts'
import { staleNote } from './stale.ts'
import { Workspace } from './workspace.ts'

/** Runs everything; gives the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const programs = dirname(fileURLToPath(import.meta.url))
  // Bundled programs lie two folders below the package.
  const root = join(programs, '..', '..')
  const built = join(root, 'dist', 'bin', 'orch.js')
  let options
  try {
    options = parseOptions(args, {
      server: [process.execPath, built, 'server'],
      dir: tmpdir(),
    })
    if (options === null) {
      process.stdout.write(help)
      return 0
    }
    for (const name of options.only ?? []) {
      if (!questions.some((question) => question.name === name))
        throw new Error(`no question is called ${name}`)
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`)
    return 2
  }
  const { only } = options
  if (options.profile !== null) mkdirSync(options.profile, { recursive: true })
  const rows: Row[] = []
  const stale = options.server?.includes(built) === true ? staleNote(root, built) : null
  const notes: string[] = stale === null ? [] : [stale]
  let code = 0
  for (const question of questions.filter(({ name }) => only === null || only.includes(name))) {
    // Each has processes and folders of its own, all of them gone before the next, also after a failure.
    const workspace = new Workspace(options.dir, programs)
    try {
      rows.push(...(await question.ask(new Bench(options, workspace, notes))))
    } catch (error) {
      code = 1
      notes.push(
        `${question.name} failed: ${error instanceof Error ? error.message : String(error)}`,
      )
    } finally {
      await workspace.close()
    }
  }
  process.stdout.write(
    options.json ? `${jsonReport(rows, notes, options)}\n` : textReport(rows, notes),
  )
  return code
}

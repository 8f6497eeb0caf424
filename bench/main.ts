/** Asks the questions that were chosen and prints what they gave. */
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Bench } from './bench.ts'
import type { Row } from './measure.ts'
import { hasEtcd } from './etcd.ts'
import { help, parseOptions, stores } from './options.ts'
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
  const measured = options.stores ?? stores.filter((store) => store !== 'etcd' || hasEtcd())
  if (!measured.includes('etcd') && options.stores === null)
    notes.push('note: there is no etcd program, so nothing was measured on it')
  const asked = questions
    .filter(({ name }) => only === null || only.includes(name))
    .flatMap((question) =>
      (question.stores ?? stores)
        .filter((store) => measured.includes(store))
        .map((store) => ({ question, store })),
    )
  for (const { question, store } of asked) {
    // Each has processes and folders of its own, all of them gone before the next, also after a failure.
    const workspace = new Workspace(options.dir, programs)
    try {
      const answer = await question.ask(new Bench(options, store, workspace, notes))
      rows.push(
        ...answer.map((row) =>
          store === 'etcd' && question.stores === undefined ? onEtcd(row) : row,
        ),
      )
    } catch (error) {
      code = 1
      notes.push(
        `${question.name} failed: ${error instanceof Error ? error.message : String(error)}`,
      )
    } finally {
      await workspace.close()
    }
  }
  const told = [...new Set(notes)]
  process.stdout.write(
    options.json ? `${jsonReport(rows, told, options)}\n` : textReport(rows, told),
  )
  return code
}

const onEtcd = (row: Row): Row => ({ ...row, what: `etcd: ${row.what}` })

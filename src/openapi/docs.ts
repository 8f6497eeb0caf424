import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readFile } from '../base/files.ts'

/** The file that the build writes beside this one. */
const DOCS_FILE = 'docs.json'

/**
 * Documentation of shapes and fields: extracted by the build, or read from the sources when run from them. Not cached:
 * documents are rarely built.
 */
export async function loadDocs(): Promise<ReadonlyMap<string, string>> {
  const here = import.meta.dirname
  const built = join(here, DOCS_FILE)
  if (existsSync(built)) {
    const json = JSON.parse(await readFile(built, 'utf8')) as Record<string, string>
    return new Map(Object.entries(json))
  }
  // Built files without it have no comments to read: documents are then without descriptions.
  if (!import.meta.url.endsWith('.ts')) return new Map()
  const { extractDocs } = await import('./extract-docs.ts')
  return extractDocs(join(here, '..'))
}

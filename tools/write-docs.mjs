// Writes the documentation of shapes and fields beside the built files. A part of the build, after the compiler.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')

/** Extracts the documentation from the sources into a folder of compiled files. */
export async function writeDocs(dist) {
  const built = join(dist, 'src', 'openapi')
  const { extractDocs } = await import(pathToFileURL(join(built, 'extract-docs.js')))
  const docs = extractDocs(join(root, 'src'))
  if (docs.size === 0) throw new Error('no documentation found in the sources')
  writeFileSync(join(built, 'docs.json'), JSON.stringify(Object.fromEntries(docs)))
}

// Writes the documentation of shapes and fields beside the built files. Run by `npm run build`, after the compiler.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist', 'src', 'openapi')
const { extractDocs } = await import(join(built, 'extract-docs.js'))
const docs = extractDocs(join(root, 'src'))
if (docs.size === 0) throw new Error('no documentation found in the sources')
writeFileSync(join(built, 'docs.json'), JSON.stringify(Object.fromEntries(docs)))

/** Objects from files, folders, standard input and URLs. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { ApiObject } from '../../client/transport.ts'
import { parseYamlDocuments } from '../../codec/yaml.ts'
import { formatJson, JsonError, parseJson } from '../../codec/json-text.ts'
import type { Context } from '../base/context.ts'
import { Fault, throwAll } from '../base/faults.ts'
import type { ServedResource } from './discovery.ts'
import { findKind } from './resources.ts'
import { refuseKustomize } from './kustomize.ts'

/** An object of a file, and where it belongs. */
export interface FileObject {
  readonly object: ApiObject & { metadata: NonNullable<ApiObject['metadata']> }
  readonly of: ServedResource
  /** Empty at the cluster scope. */
  readonly namespace: string
  /** File, URL or STDIN. */
  readonly source: string
}

interface Document {
  readonly value: unknown
  readonly source: string
}

/** Reads what `--filename` names and finds the resource of each object. Rejects with all faults. */
export async function readObjects(c: Context): Promise<FileObject[]> {
  const found: FileObject[] = []
  const errors: unknown[] = []
  for (const document of await readDocuments(c)) {
    try {
      for (const object of objectsOf(c, document))
        found.push(await placed(c, object, document.source))
    } catch (error) {
      errors.push(error)
    }
  }
  throwAll(errors)
  return found
}

/** Reads the documents that `--filename` names, of any kind. */
export async function readDocuments(c: Context): Promise<Document[]> {
  refuseKustomize(c)
  const documents: Document[] = []
  for (const name of c.flags.list('filename')) documents.push(...(await fromSource(c, name)))
  return documents
}

async function fromSource(c: Context, name: string): Promise<Document[]> {
  if (name === '-') return parsed(await c.io.readInput(), 'STDIN')
  if (name.startsWith('https://') || name.startsWith('http://')) {
    const { readUrl } = await import('./read-url.ts')
    return parsed(await readUrl(name, c.io.env), name)
  }
  const paths = filesOf(c, name)
  const found: Document[] = []
  for (const path of paths) {
    found.push(...(await parsed(readFileSync(resolve(c.io.cwd, path), 'utf8'), path)))
  }
  return found
}

const EXTENSIONS = ['.json', '.yaml', '.yml']

function filesOf(c: Context, name: string): string[] {
  const path = resolve(c.io.cwd, name)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) {
    const matching = /[*?[]/.test(basename(name)) ? globbed(c, name) : []
    if (matching.length > 0) return matching
    throw new Fault(`error: the path "${name}" does not exist`)
  }
  if (!stat.isDirectory()) return [name]
  const files = filesIn(c, name, c.flags.has('recursive') && c.flags.is('recursive'))
  if (files.length === 0) {
    throw new Fault(
      `error: error reading [${name}]: recognized file extensions are [${EXTENSIONS.join(' ')}]`,
    )
  }
  return files
}

function filesIn(c: Context, folder: string, isRecursive: boolean): string[] {
  const entries = readdirSync(resolve(c.io.cwd, folder), { withFileTypes: true })
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return isRecursive ? filesIn(c, path, true) : []
      return EXTENSIONS.includes(extname(entry.name)) ? [path] : []
    })
}

/** Files of a folder whose names match a pattern of a shell. */
function globbed(c: Context, pattern: string): string[] {
  const folder = dirname(pattern)
  const parts = basename(pattern).split('*')
  const names = readdirSync(resolve(c.io.cwd, folder))
  return names
    .filter((name) => isLike(name, parts))
    .map((name) => join(folder, name))
    .sort()
}

/** Whether a name consists of the parts with anything between them. */
function isLike(name: string, parts: readonly string[]): boolean {
  let at = 0
  for (const [i, part] of parts.entries()) {
    const place =
      i === parts.length - 1 && i > 0 ? name.length - part.length : name.indexOf(part, at)
    if (place < at || !name.startsWith(part, place) || (i === 0 && place !== 0)) return false
    at = place + part.length
  }
  return parts.length > 1 || at === name.length
}

async function parsed(text: string, source: string): Promise<Document[]> {
  try {
    const values = /^\s*[{[]/.test(text) ? jsonOf(text) : null
    return (values ?? (await parseYamlDocuments(text))).map((value) => ({ value, source }))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Fault(`error: error parsing ${source}: ${why}`)
  }
}

/** JSON that is one value; null for YAML in the same style and for several values. */
function jsonOf(text: string): unknown[] | null {
  try {
    return [parseJson(text)]
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}

type Map = Record<string, unknown>

const isMap = (value: unknown): value is Map =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function objectsOf(c: Context, { value, source }: Document): ApiObject[] {
  if (!isMap(value)) {
    throw new Fault(
      `error: error validating ${JSON.stringify(source)}: the document is not an object`,
    )
  }
  const { kind, apiVersion, items } = value
  if (
    typeof kind !== 'string' ||
    kind === '' ||
    typeof apiVersion !== 'string' ||
    apiVersion === ''
  )
    throw untyped(c, value, source)
  if (kind.endsWith('List') && Array.isArray(items)) {
    return items.flatMap((item) => {
      const typed =
        isMap(item) && kind !== 'List' ? { apiVersion, kind: kind.slice(0, -4), ...item } : item
      return objectsOf(c, { value: typed, source })
    })
  }
  return [value as ApiObject]
}

/** What is wrong with a document without a type, in the words of the check of documents where a command has it. */
function untyped(c: Context, value: Map, source: string): Fault {
  const lacking = (['apiVersion', 'kind'] as const).filter((name) => !value[name])
  if (c.flags.has('validate') && !['ignore', 'false'].includes(c.flags.text('validate'))) {
    const faults = lacking.map((name) => `${name} not set`)
    const all = faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`
    return new Fault(
      `error: error validating "${source}": error validating data: ${all}; if you choose to ignore these errors, turn validation off with --validate=false`,
    )
  }
  const name = lacking.includes('kind') ? 'Kind' : 'apiVersion'
  const shown = formatJson(value)
  return new Fault(`error: unable to decode "${source}": Object '${name}' is missing in '${shown}'`)
}

async function placed(c: Context, object: ApiObject, source: string): Promise<FileObject> {
  const { apiVersion = '', kind = '', metadata } = object
  const of = await findKind(await c.discovery(), apiVersion, kind)
  const name = metadata?.name ?? ''
  if (!of) {
    throw new Fault(
      `resource mapping not found for name: ${JSON.stringify(name)} namespace: ${JSON.stringify(metadata?.namespace ?? '')} from ${JSON.stringify(source)}: no matches for kind "${kind}" in version "${apiVersion}"\nensure CRDs are installed first`,
    )
  }
  const typed = { ...object, metadata: { ...metadata } }
  if (!of.namespaced) return { object: typed, of, namespace: '', source }
  const { name: wanted, isExplicit } = await c.namespace()
  const own = metadata?.namespace ?? ''
  if (own !== '' && own !== wanted && isExplicit) {
    throw new Fault(
      `error: the namespace from the provided object "${own}" does not match the namespace "${wanted}". You must pass '--namespace=${own}' to perform this operation.`,
    )
  }
  const namespace = own === '' ? wanted : own
  typed.metadata.namespace = namespace
  return { object: typed, of, namespace, source }
}

/** Sends the first document of the files to the path of `--raw`, and shows what the server answers. */
export async function sendRaw(c: Context, method: 'POST' | 'PUT'): Promise<void> {
  const [document] = await readDocuments(c)
  const api = await c.api()
  c.out(await api.text({ method, path: c.flags.text('raw'), body: document?.value }))
}

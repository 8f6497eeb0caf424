/** get: shows objects, in tables that the server makes or in other formats. */
import { qualifiedName, resourcePath, singularName } from '../api/resources.ts'
import type { ServedResource } from '../api/discovery.ts'
import { everywhereFlags, findSelected, selectionFlags, type Selected } from '../api/selection.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault, throwAll } from '../base/faults.ts'
import { StatusError } from '../../meta/errors.ts'
import type { ApiObject, ObjectList } from '../../client/transport.ts'
import { linesOf } from '../../client/lines.ts'
import { parseJson } from '../../codec/json-text.ts'
import { formatOf, isTable, outputFlags, printerOf, type Format } from '../print/output.ts'
import { TablePrinter, type Table, type TableOptions, type TableRow } from '../print/table.ts'

const OUTPUTS =
  'json|yaml|name|wide|jsonpath|jsonpath-as-json|jsonpath-file|custom-columns|custom-columns-file'

export const get: Command = {
  use: `[(-o|--output=)${OUTPUTS}] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]`,
  text: 'Shows one or many objects: in tables by default, with --output in other formats. See api-resources for the types.',
  examples: [
    ['All pods, with more columns', 'get pods -o wide'],
    ['One deployment as JSON', 'get -o json deployment web'],
    ['Only one field', 'get -o jsonpath={.status.phase} pod/web-1'],
    ['Objects of several types, in all namespaces', 'get services,deployments -A'],
  ],
  flags: {
    ...outputFlags,
    ...selectionFlags,
    ...everywhereFlags,
    'chunk-size': {
      type: 'int',
      default: '500',
      help: 'Return large lists in chunks rather than all at once. Pass 0 to disable.',
    },
    'ignore-not-found': {
      type: 'bool',
      help: 'If the requested object does not exist the command will return exit code 0.',
    },
    'label-columns': {
      type: 'list',
      short: 'L',
      help: 'Accepts a comma separated list of labels that are going to be presented as columns.',
    },
    'no-headers': {
      type: 'bool',
      help: "When using the default or custom-column output format, don't print headers.",
    },
    output: {
      ...outputFlags.output,
      help: `Output format. One of: (${OUTPUTS.replaceAll('|', ', ')}).`,
    },
    'output-watch-events': {
      type: 'bool',
      help: 'Output watch event objects when --watch or --watch-only is used.',
    },
    raw: { type: 'text', help: 'Raw URI to request from the server.' },
    'server-print': {
      type: 'bool',
      default: 'true',
      help: 'Accepted for compatibility: tables are always made by the server.',
      isHidden: true,
    },
    'show-kind': {
      type: 'bool',
      help: 'If present, list the resource type for the requested object(s).',
    },
    'show-labels': { type: 'bool', help: 'When printing, show all labels as the last column.' },
    'sort-by': {
      type: 'text',
      help: "Sort list types using this field specification: a JSONPath expression such as '{.metadata.name}'.",
    },
    subresource: {
      type: 'text',
      help: 'If specified, gets the subresource of the requested object. One of: (status, scale).',
    },
    watch: {
      type: 'bool',
      short: 'w',
      help: 'After listing/getting the requested object, watch for changes.',
    },
    'watch-only': {
      type: 'bool',
      help: 'Watch for changes to the requested object(s), without listing/getting first.',
    },
  },
  async run(c) {
    if (c.flags.isSet('raw')) return raw(c)
    const format = formatOf(c, true)
    if (c.args.length === 0 && !c.flags.isSet('filename')) {
      c.err(
        `You must specify the type of resource to get. Use "${c.program} api-resources" for a complete list of supported resources.\n\n`,
      )
      throw c.misuse(
        `Required resource not specified.\nUse "${c.program} explain <resource>" for a detailed description of that resource (e.g. ${c.program} explain pods).`,
      )
    }
    checkFlags(c)
    const selected = await findSelected(c)
    if (c.flags.is('watch') || c.flags.is('watch-only')) return watch(c, format, selected)
    return isTable(format) ? tables(c, format, selected) : objects(c, format, selected)
  },
}

function checkFlags(c: Context): void {
  const subresource = c.flags.text('subresource')
  if (subresource !== '' && subresource !== 'status' && subresource !== 'scale') {
    throw new Fault(
      `error: invalid subresource value: "${subresource}". Must be one of [status scale]`,
    )
  }
  if (c.flags.is('output-watch-events') && !c.flags.is('watch') && !c.flags.is('watch-only')) {
    throw new Fault(
      'error: --output-watch-events option can only be used with --watch or --watch-only',
    )
  }
}

async function raw(c: Context): Promise<void> {
  if (c.args.length > 0) throw c.misuse('arguments may not be passed when --raw is specified')
  const uri = c.flags.text('raw')
  if (!uri.startsWith('/')) throw new Fault('error: --raw takes a path that begins with a slash')
  const [path = '', query = ''] = uri.split(/\?(.*)/s)
  const api = await c.api()
  const params: Record<string, string[]> = {}
  for (const [name, value] of new URLSearchParams(query)) (params[name] ??= []).push(value)
  const { body } = await api.send({ path, query: params, accept: 'application/json, */*' })
  for await (const chunk of body) c.io.out(chunk as Uint8Array)
}

/** Media types of tables; servers of either brand know the second. */
async function tableAccept(c: Context): Promise<string> {
  const group = (await c.words()).resolve('meta{api}')
  return `application/json;as=Table;v=v1;g=${group},application/json`
}

/** Parameters that select objects. */
function queryOf(c: Context, { name }: Selected): Record<string, string | undefined> {
  if (name !== '') return {}
  const chunk = c.flags.int('chunk-size')
  return {
    labelSelector: c.flags.text('selector') || undefined,
    fieldSelector: c.flags.text('field-selector') || undefined,
    limit: chunk > 0 ? String(chunk) : undefined,
  }
}

const pathOf = (c: Context, { of, namespace, name }: Selected): string => {
  const sub = c.flags.text('subresource')
  return resourcePath(of, namespace, name) + (sub === '' || name === '' ? '' : `/${sub}`)
}

/** Each chunk of what is selected; one chunk for an object. */
async function* chunks<T extends { metadata?: { continue?: string } }>(
  c: Context,
  selected: Selected,
  options: { readonly accept?: string; readonly query?: Readonly<Record<string, string>> } = {},
): AsyncGenerator<T> {
  const api = await c.api()
  let token: string | undefined
  do {
    const chunk: T = await api.json<T>({
      path: pathOf(c, selected),
      query: { ...queryOf(c, selected), ...options.query, continue: token },
      ...(options.accept === undefined ? {} : { accept: options.accept }),
    })
    yield chunk
    token = chunk.metadata?.continue || undefined
  } while (token !== undefined && selected.name === '')
}

const isIgnored = (c: Context, error: unknown): boolean =>
  c.flags.is('ignore-not-found') && error instanceof StatusError && error.reason === 'NotFound'

function tableOptions(
  c: Context,
  format: Format,
  of: ServedResource,
  isMixed: boolean,
): TableOptions {
  return {
    isWide: format.name === 'wide',
    noHeaders: c.flags.is('no-headers'),
    withNamespace: c.flags.is('all-namespaces') && of.namespaced,
    kind: c.flags.is('show-kind') || isMixed ? singularName(of) : '',
    showLabels: c.flags.is('show-labels'),
    labelColumns: c.flags.list('label-columns'),
  }
}

interface TableGroup {
  readonly of: ServedResource
  readonly tables: Table[]
}

async function tables(c: Context, format: Format, selected: readonly Selected[]): Promise<void> {
  const accept = await tableAccept(c)
  const sortBy = c.flags.text('sort-by')
  const errors: unknown[] = []
  const groups: TableGroup[] = []
  for (const one of selected) {
    const found: Table[] = []
    try {
      const query = sortBy === '' ? {} : { includeObject: 'Object' }
      for await (const chunk of chunks<Table>(c, one, { accept, query })) found.push(chunk)
    } catch (error) {
      if (!isIgnored(c, error)) errors.push(error)
    }
    const last = groups.at(-1)
    if (last && last.of === one.of) last.tables.push(...found)
    else groups.push({ of: one.of, tables: found })
  }
  const shown = groups.filter(({ tables }) => tables.some(({ rows }) => (rows ?? []).length > 0))
  const isMixed = new Set(selected.map(({ of }) => qualifiedName(of))).size > 1
  let isFirst = true
  for (const group of shown) {
    const sorted = sortBy === '' ? group.tables : [await sortedTable(group.tables, sortBy)]
    const text = new TablePrinter(tableOptions(c, format, group.of, isMixed)).print(sorted)
    c.out(isFirst || c.flags.is('no-headers') ? text : `\n${text}`)
    isFirst = false
  }
  if (shown.length === 0 && errors.length === 0) await sayNone(c, selected)
  throwAll(errors)
}

async function sayNone(c: Context, selected: readonly Selected[]): Promise<void> {
  if (c.flags.is('ignore-not-found')) return
  const isNamespaced = selected.some(({ of }) => of.namespaced) && !c.flags.is('all-namespaces')
  const { name } = await c.namespace()
  c.err(isNamespaced ? `No resources found in ${name} namespace.\n` : 'No resources found\n')
}

async function sortedTable(tables: readonly Table[], sortBy: string): Promise<Table> {
  const { sortedBy } = await import('../print/sort-by.ts')
  const rows = tables.flatMap((table) => table.rows ?? [])
  return {
    columnDefinitions: tables[0]?.columnDefinitions ?? [],
    rows: sortedBy<TableRow>(rows, sortBy, (row) => row.object),
  }
}

/** An object, or a list of objects. */
type Answer = ApiObject & Partial<ObjectList<ApiObject>>

async function objects(c: Context, format: Format, selected: readonly Selected[]): Promise<void> {
  const errors: unknown[] = []
  const found: ApiObject[] = []
  for (const one of selected) {
    try {
      for await (const chunk of chunks<Answer>(c, one)) found.push(...unpacked(chunk))
    } catch (error) {
      if (!isIgnored(c, error)) errors.push(error)
    }
  }
  const isOne = selected.length === 1 && selected[0]!.name !== ''
  const sortBy = c.flags.text('sort-by')
  if (sortBy !== '') {
    const { sortedBy } = await import('../print/sort-by.ts')
    found.splice(0, found.length, ...sortedBy(found, sortBy, (object) => object))
  }
  if (found.length > 0 || (!isOne && errors.length === 0)) await print(c, format, found, isOne)
  throwAll(errors)
}

async function print(
  c: Context,
  format: Format,
  found: readonly ApiObject[],
  isOne: boolean,
): Promise<void> {
  if (format.name.startsWith('custom-columns')) {
    const { CustomColumns } = await import('../print/custom-columns.ts')
    const isFile = c.flags.text('output').startsWith('custom-columns-file')
    const noHeaders = c.flags.is('no-headers')
    return c.out(new CustomColumns(format.template, { noHeaders, isFile }).print(found))
  }
  const show = await printerOf(c, format)
  if (isOne) return found[0] && c.out(await show(found[0]))
  if (format.name === 'name') {
    for (const object of found) c.out(await show(object))
    return
  }
  const list = {
    apiVersion: 'v1',
    items: [...found],
    kind: 'List',
    metadata: { resourceVersion: '' },
  }
  c.out(await show(list as unknown as ApiObject))
}

/** Objects of a list, which omits their types. */
function unpacked(answer: Answer): ApiObject[] {
  if (!Array.isArray(answer.items)) return [answer]
  const kind = (answer.kind ?? '').replace(/List$/, '')
  return answer.items.map((item) => ({ apiVersion: answer.apiVersion ?? '', kind, ...item }))
}

interface WatchEvent {
  readonly type: string
  readonly object: Table & ApiObject & { message?: string; reason?: string; code?: number }
}

/** Shows what there is, and then each change until the server or the user ends it. */
async function watch(c: Context, format: Format, selected: readonly Selected[]): Promise<void> {
  const [one] = selected
  if (!one || selected.length !== 1) {
    throw new Fault(
      `error: watch is only supported on individual resources and resource collections - ${selected.length} resources were found`,
    )
  }
  const show = await watchPrinter(c, format, one)
  const api = await c.api()
  const accept = isTable(format) ? { accept: await tableAccept(c) } : {}
  const fieldSelector = [
    c.flags.text('field-selector'),
    one.name === '' ? '' : `metadata.name=${one.name}`,
  ]
  const selector = {
    labelSelector: c.flags.text('selector') || undefined,
    fieldSelector: fieldSelector.filter((part) => part !== '').join(',') || undefined,
  }
  let version = ''
  for await (const chunk of chunks<Table & Answer>(c, one, accept)) {
    version = chunk.metadata?.resourceVersion ?? ''
    if (!c.flags.is('watch-only')) await show('ADDED', chunk)
  }
  const path = resourcePath(one.of, one.namespace)
  const { body } = await api.send({
    path,
    query: { ...selector, watch: 'true', resourceVersion: version },
    ...accept,
    signal: c.io.interrupted,
  })
  for await (const line of linesOf(body)) {
    const { type, object } = parseJson(line) as WatchEvent
    if (type === 'ERROR') {
      throw new StatusError(object.code ?? 500, object.reason ?? '', object.message ?? '')
    }
    if (type !== 'BOOKMARK') await show(type, object)
  }
}

async function watchPrinter(
  c: Context,
  format: Format,
  { of }: Selected,
): Promise<(type: string, object: Table & Answer) => Promise<void>> {
  const withEvents = c.flags.is('output-watch-events')
  if (isTable(format)) {
    const printer = new TablePrinter(tableOptions(c, format, of, false))
    return async (type, table) => c.out(printer.print([table], withEvents ? type : null))
  }
  if (format.name.startsWith('custom-columns')) {
    const { CustomColumns } = await import('../print/custom-columns.ts')
    const columns = new CustomColumns(format.template, {
      noHeaders: c.flags.is('no-headers'),
      isFile: c.flags.text('output').startsWith('custom-columns-file'),
    })
    return async (_, object) => c.out(columns.print(unpacked(object)))
  }
  const show = await printerOf(c, format)
  return async (type, object) => {
    for (const item of unpacked(object)) {
      const shown = withEvents ? ({ object: item, type } as unknown as ApiObject) : item
      c.out(await show(shown))
    }
  }
}

/** describe: shows objects in full for people: metadata, the members in the order of their declaration, and events. */
import type { Holds, Shape } from '../../notation/shape.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { shapeOf } from '../api/declarations.ts'
import { readAll, readOne, selectorQuery, type LiveObject } from '../api/find-objects.ts'
import { apiVersionOf, findResource } from '../api/resources.ts'
import { findSelected, selectionFlags, type Selected } from '../api/selection.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { throwAll } from '../base/faults.ts'
import { StatusError } from '../../meta/errors.ts'
import { Columns } from '../print/columns.ts'
import { ageText, lastSeen, type ShownEvent } from './events.ts'

export const describe: Command = {
  use: '(-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)',
  text: 'Shows details of objects: their metadata, all their members, and their events. A name that is none is taken as the beginning of names.',
  examples: [
    ['A node', 'describe nodes worker-1'],
    ['Pods with a label', 'describe pods -l name=web'],
  ],
  flags: {
    ...selectionFlags,
    'all-namespaces': {
      type: 'bool',
      short: 'A',
      help: 'If present, list the requested object(s) across all namespaces.',
    },
    'chunk-size': {
      type: 'int',
      default: '500',
      help: 'Accepted for compatibility.',
      isHidden: true,
    },
    'show-events': {
      type: 'bool',
      default: 'true',
      help: 'If true, display events related to the described object.',
    },
  },
  async run(c) {
    if (c.args.length === 0 && c.flags.list('filename').length === 0) {
      c.err(
        `You must specify the type of resource to describe. Use "${c.program} api-resources" for a complete list of supported resources.\n`,
      )
      throw c.misuse('Required resource not specified.')
    }
    const errors: unknown[] = []
    const texts: string[] = []
    const selected = await findSelected(c)
    for (const one of selected) {
      try {
        for (const object of await objectsOf(c, one)) texts.push(await described(c, one, object))
      } catch (error) {
        errors.push(error)
      }
    }
    c.out(texts.join('\n\n'))
    if (texts.length === 0 && errors.length === 0) {
      const isNamespaced = selected.some(({ of }) => of.namespaced) && !c.flags.is('all-namespaces')
      c.err(
        isNamespaced
          ? `No resources found in ${(await c.namespace()).name} namespace.\n`
          : 'No resources found\n',
      )
    }
    throwAll(errors)
  },
}

async function objectsOf(c: Context, one: Selected): Promise<LiveObject[]> {
  if (one.name === '') return readAll(c, one, selectorQuery(c))
  try {
    return [await readOne(c, one)]
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'NotFound') throw error
    const all = await readAll(c, { ...one, name: '' })
    const found = all.filter(({ metadata }) => (metadata.name ?? '').startsWith(one.name))
    if (found.length === 0) throw error
    return found
  }
}

const HEAD = ['apiVersion', 'kind', 'metadata']

async function described(c: Context, { of }: Selected, object: LiveObject): Promise<string> {
  const v = await c.words()
  const { metadata } = object
  const shape = await shapeOf(apiVersionOf(of), of.kind, v)
  const lines: Row[] = [
    { depth: 0, key: 'Name', value: metadata.name ?? '' },
    ...(of.namespaced ? [{ depth: 0, key: 'Namespace', value: metadata.namespace ?? '' }] : []),
    ...pairRows('Labels', metadata.labels),
    ...pairRows('Annotations', metadata.annotations),
    { depth: 0, key: 'API Version', value: apiVersionOf(of) },
    { depth: 0, key: 'Kind', value: of.kind },
    { depth: 0, key: 'Created', value: metadata.creationTimestamp ?? '' },
    ...(metadata.deletionTimestamp
      ? [{ depth: 0, key: 'Terminating since', value: metadata.deletionTimestamp }]
      : []),
    ...(metadata.ownerReferences ?? []).map(({ kind, name, controller }) => ({
      depth: 0,
      key: controller ? 'Controlled By' : 'Owned By',
      value: `${kind}/${name}`,
    })),
    ...(metadata.finalizers?.length
      ? [{ depth: 0, key: 'Finalizers', value: metadata.finalizers.join(', ') }]
      : []),
  ]
  const writer = new Members(v)
  const holds: Holds | null = shape ? { is: 'object', to: () => shape } : null
  const {
    apiVersion: _a,
    kind: _k,
    metadata: _m,
    ...members
  } = of.kind === 'Secret' ? withoutValues(object) : object
  lines.push(...writer.rows(holds, members, 0))
  const text = format(lines)
  return c.flags.is('show-events') ? text + (await eventsText(c, object)) : text
}

/** Secrets show how long their values are. */
function withoutValues(object: LiveObject): LiveObject {
  const { data = {} } = object as { data?: Record<string, string> }
  const sizes = Object.entries(data).map(([key, value]) => [
    key,
    `${Buffer.from(value, 'base64').length} bytes`,
  ])
  return { ...object, data: Object.fromEntries(sizes) as object }
}

interface Row {
  readonly depth: number
  readonly key: string
  /** null: what is below it follows. */
  readonly value: string | null
}

function pairRows(name: string, pairs: Readonly<Record<string, string>> | undefined): Row[] {
  const keys = Object.keys(pairs ?? {}).sort()
  if (keys.length === 0) return [{ depth: 0, key: name, value: '<none>' }]
  const line = (key: string) => `${key}${name === 'Labels' ? '=' : ': '}${shortened(pairs![key]!)}`
  return keys.map((key, i) => ({ depth: 0, key: i === 0 ? name : '', value: line(key) }))
}

const shortened = (text: string) =>
  text.length > 140 ? `${text.slice(0, 137).trimEnd()}...` : text.trimEnd()

class Members {
  readonly #v: Vocabulary

  constructor(v: Vocabulary) {
    this.#v = v
  }

  rows(holds: Holds | null, map: Readonly<Record<string, unknown>>, depth: number): Row[] {
    const declared = holds?.is === 'object' ? this.#fields(holds.to()) : null
    const keys = Object.keys(map).filter((key) => depth > 0 || !HEAD.includes(key))
    const place = (key: string) =>
      declared?.has(key) ? [...declared.keys()].indexOf(key) : Infinity
    keys.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
    return keys.flatMap((key) => {
      const inner = declared ? (declared.get(key) ?? null) : holds?.is === 'map' ? holds.of : null
      // Keys of maps are data and stay as they are.
      const title = holds?.is === 'map' ? key : titleOf(key)
      return this.#value(inner, title, map[key], depth)
    })
  }

  #fields(shape: Shape): Map<string, Holds> {
    const fields = new Map<string, Holds>()
    for (const [name, facts] of shape.fields) {
      if (facts.inline && facts.holds.is === 'object') {
        for (const [inner, holds] of this.#fields(facts.holds.to())) fields.set(inner, holds)
      } else fields.set(this.#v.resolve(name), facts.holds)
    }
    return fields
  }

  #value(holds: Holds | null, key: string, value: unknown, depth: number): Row[] {
    if (value === null || value === undefined) return []
    if (Array.isArray(value)) {
      if (value.every((item) => typeof item !== 'object' || item === null)) {
        return value.map((item, i) => ({ depth, key: i === 0 ? key : '', value: shown(item) }))
      }
      const of = holds?.is === 'list' ? holds.of : null
      return [
        { depth, key, value: null },
        ...value.flatMap((item, i) => [
          ...(i === 0 ? [] : [{ depth: depth + 1, key: '', value: null }]),
          ...(typeof item === 'object' && item !== null
            ? this.rows(of, item as Record<string, unknown>, depth + 1)
            : []),
        ]),
      ]
    }
    if (typeof value !== 'object') return [{ depth, key, value: shown(value) }]
    return [
      { depth, key, value: null },
      ...this.rows(holds, value as Record<string, unknown>, depth + 1),
    ]
  }
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value.trimEnd() : String(value)

/** `clusterIP` is shown as `Cluster IP`. */
const titleOf = (key: string): string =>
  key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replace(/^./, (char) => char.toUpperCase())

function format(rows: readonly Row[]): string {
  const width = Math.max(
    ...rows
      .filter(({ value }) => value !== null)
      .map(({ depth, key }) => depth * 2 + key.length + 1),
    0,
  )
  return rows
    .map(({ depth, key, value }) => {
      const head = ' '.repeat(depth * 2) + (key === '' ? '' : `${key}:`)
      if (value === null) return key === '' ? '\n' : `${head}\n`
      const [first = '', ...more] = value.split('\n')
      const pad = ' '.repeat(width + 2)
      return [head.padEnd(width + 2) + first, ...more.map((line) => pad + line)]
        .map((line) => `${line.trimEnd()}\n`)
        .join('')
    })
    .join('')
}

async function eventsText(c: Context, object: LiveObject): Promise<string> {
  const of = await findResource(await c.discovery(), 'events.v1.')
  const { uid = '', namespace = '' } = object.metadata
  let all: ShownEvent[]
  try {
    const query = { fieldSelector: `involvedObject.uid=${uid}` }
    all = (await readAll(c, { of, namespace, name: '' }, query)) as unknown as ShownEvent[]
  } catch (error) {
    if (error instanceof StatusError) return ''
    throw error
  }
  if (all.length === 0) return 'Events:  <none>\n'
  all.sort((a, b) => (lastSeen(a) < lastSeen(b) ? -1 : 1))
  const rows = all.map((event) => [
    `  ${event.type ?? ''}`,
    event.reason ?? '',
    ageText(event, c.io.now()),
    event.source?.component || event.reportingComponent || '',
    (event.message ?? '').trim(),
  ])
  const dashes = ['  ----', '------', '----', '----', '-------']
  return `Events:\n${new Columns({ padding: 2, minWidth: 0 }).format([['  Type', 'Reason', 'Age', 'From', 'Message'], dashes, ...rows])}`
}

/** events: shows events, oldest first. */
import { age } from '../../base/human-duration.ts'
import { linesOf } from '../../client/lines.ts'
import type { ApiObject } from '../../client/transport.ts'
import { parseJson } from '../../codec/json-text.ts'
import { readAll, type LiveObject } from '../api/find-objects.ts'
import { findResource, resourcePath } from '../api/resources.ts'
import { everywhereFlags } from '../api/selection.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import { Columns } from '../print/columns.ts'
import { formatOf, outputFlags, printerOf } from '../print/output.ts'

/** An event as it is shown. */
export interface ShownEvent extends ApiObject {
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly firstTimestamp?: string | null
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string }
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly reportingComponent?: string
  readonly involvedObject?: {
    readonly kind?: string
    readonly name?: string
    readonly namespace?: string
    readonly uid?: string
  }
}

/** When an event was seen last. */
const lastSeen = ({ series, lastTimestamp, eventTime, metadata }: ShownEvent): string =>
  series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? ''

/** In the order in which they were seen last. */
export const oldestFirst = (all: readonly ShownEvent[]): ShownEvent[] =>
  [...all].sort((a, b) => (lastSeen(a) < lastSeen(b) ? -1 : lastSeen(a) > lastSeen(b) ? 1 : 0))

/** `5s`, or `5s (x3 over 1m)`. */
export function ageText(event: ShownEvent, now: number): string {
  const since = age(lastSeen(event), now)
  const count = event.series?.count ?? event.count ?? 1
  const first = event.firstTimestamp ?? event.eventTime
  return count > 1 ? `${since} (x${count} over ${age(first, now)})` : since
}

export const events: Command = {
  use: '[(-o|--output=)json|yaml|name|jsonpath] [--for TYPE/NAME] [--watch]',
  text: 'Shows events, of all objects or of one, oldest first.',
  flags: {
    ...outputFlags,
    ...everywhereFlags,
    for: {
      type: 'text',
      help: 'Filter events to only those pertaining to the specified resource.',
    },
    'no-headers': {
      type: 'bool',
      help: "When using the default output format, don't print headers.",
    },
    types: { type: 'list', help: 'Output only events of given types.' },
    watch: {
      type: 'bool',
      short: 'w',
      help: 'After listing the requested events, watch for more events.',
    },
  },
  async run(c) {
    const of = await findResource(await c.discovery(), 'events.v1.')
    const namespace = c.flags.is('all-namespaces') ? '' : (await c.namespace()).name
    const selector = await selectorOf(c)
    const types = c.flags.list('types').map((type) => type.toLowerCase())
    const isShown = (event: ShownEvent) =>
      types.length === 0 || types.includes((event.type ?? '').toLowerCase())
    const found = await readAll(c, { of, namespace, name: '' }, selector)
    const all = oldestFirst((found as unknown as ShownEvent[]).filter(isShown))
    const show = await printer(c)
    if (all.length === 0 && !c.flags.is('watch')) {
      return c.err(
        namespace === '' ? 'No events found.\n' : `No events found in ${namespace} namespace.\n`,
      )
    }
    await show(all)
    if (!c.flags.is('watch')) return
    const api = await c.api()
    const { body } = await api.send({
      path: resourcePath(of, namespace),
      query: {
        ...selector,
        watch: 'true',
        resourceVersion: newest(all as unknown as LiveObject[]),
      },
      signal: c.io.interrupted,
    })
    for await (const line of linesOf(body)) {
      const { type, object } = parseJson(line) as { type: string; object: ShownEvent }
      if ((type === 'ADDED' || type === 'MODIFIED') && isShown(object)) await show([object])
    }
  },
}

const newest = (all: readonly LiveObject[]): string =>
  String(
    all.reduce((max, { metadata }) => Math.max(max, Number(metadata.resourceVersion ?? 0)), 0) ||
      '',
  )

async function selectorOf(c: Context): Promise<Record<string, string | undefined>> {
  const text = c.flags.text('for')
  if (text === '') return {}
  const [type = '', name = ''] = text.split('/')
  if (name === '') throw new Fault('error: --for must be in resource/name form')
  const of = await findResource(await c.discovery(), type)
  return { fieldSelector: `involvedObject.kind=${of.kind},involvedObject.name=${name}` }
}

async function printer(c: Context): Promise<(all: readonly ShownEvent[]) => Promise<void>> {
  const format = formatOf(c, false)
  if (format.name !== '') {
    const print = await printerOf(c, format)
    return async (all) =>
      c.out(await print({ apiVersion: 'v1', kind: 'List', items: [...all], metadata: {} } as never))
  }
  const columns = new Columns()
  const withNamespace = c.flags.is('all-namespaces')
  let noHeaders = c.flags.is('no-headers')
  return async (all) => {
    const rows = all.map((event) => [
      ...(withNamespace ? [event.metadata?.namespace ?? ''] : []),
      ageText(event, c.io.now()),
      event.type ?? '',
      event.reason ?? '',
      `${event.involvedObject?.kind ?? ''}/${event.involvedObject?.name ?? ''}`,
      (event.message ?? '').trim(),
    ])
    const head = [
      ...(withNamespace ? ['NAMESPACE'] : []),
      'LAST SEEN',
      'TYPE',
      'REASON',
      'OBJECT',
      'MESSAGE',
    ]
    c.out(columns.format(noHeaders ? rows : [head, ...rows]))
    noHeaders = true
  }
}

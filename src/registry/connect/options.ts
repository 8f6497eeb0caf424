import type { Typed } from '../../meta/object-meta.ts'
import type { Call } from '../context.ts'
import { isSet } from '../options.ts'

const STREAMS = ['stdin', 'stdout', 'stderr', 'tty'] as const

/** The options of a connection as an object of their kind, for admission; `rest` is the rest of the path. */
export function connectOptions({ served, query }: Call, kind: string, rest: string): Typed {
  return { kind, apiVersion: served.groupVersion, metadata: {}, ...membersOf(kind, query, rest) }
}

function membersOf(kind: string, query: Call['query'], rest: string): object {
  switch (kind) {
    case 'PodExecOptions':
      return { ...streams(query), ...list('command', query.get('command') ?? []) }
    case 'PodAttachOptions':
      return streams(query)
    case 'PodPortForwardOptions': {
      const ports = (query.get('ports') ?? []).flatMap((text) => text.split(','))
      return list('ports', ports.map(Number).filter(Number.isInteger))
    }
    default:
      return rest === '' ? {} : { path: rest }
  }
}

function streams(query: Call['query']): object {
  const container = query.get('container')?.[0] ?? ''
  return {
    ...Object.fromEntries(STREAMS.filter((name) => isSet(query, name)).map((name) => [name, true])),
    ...(container === '' ? {} : { container }),
  }
}

const list = <T>(name: string, items: readonly T[]): object =>
  items.length === 0 ? {} : { [name]: items }

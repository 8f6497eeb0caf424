import { badRequest, notAcceptable } from '../schema/errors.ts'
import { first } from '../api/context.ts'
import type { Context } from './context.ts'
import { negotiate } from './media-types.ts'

/** The form in which an answer was asked for. */
export interface Form {
  readonly type: 'application/json' | 'application/yaml'
  /** Another shape of the same content. */
  readonly as: '' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  /** Version of that shape's group. */
  readonly asVersion: string
  readonly includeObject: 'None' | 'Metadata' | 'Object'
  readonly pretty: boolean
}

export const OFFERED = ['application/json', 'application/yaml'] as const
const OFFERS = [
  { type: 'application', subtype: 'json' },
  { type: 'application', subtype: 'yaml' },
] as const
const WATCH_OFFERS = [OFFERS[0]] as const

const PLAIN: Form = {
  type: 'application/json',
  as: '',
  asVersion: '',
  includeObject: 'Metadata',
  pretty: false,
}

/** Negotiates the form of an answer (seed 1, Content negotiation). Throws 400 and 406. */
export function formOf(context: Context, options: { watch?: boolean; transform: boolean }): Form {
  const accept = context.exchange.headers.accept
  const agent = context.exchange.headers['user-agent'] ?? ''
  const pretty = isPretty(context, agent)
  if ((accept === undefined || accept === 'application/json') && !pretty) return PLAIN
  const metaGroup = context.server.api.v.spell('meta{api}')
  const choice = negotiate(accept, options.watch === true ? WATCH_OFFERS : OFFERS, (params) => {
    const as = params.get('as')
    if (as === undefined) return true
    if (!options.transform) return false
    const v = params.get('v') ?? ''
    const g = params.get('g') ?? ''
    return (
      ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'].includes(as) &&
      (v === 'v1' || v === 'v1beta1') &&
      g === metaGroup
    )
  })
  if (!choice) {
    throw notAcceptable(
      options.watch === true ? OFFERED.slice(0, 1).map((t) => `${t};stream=watch`) : OFFERED,
    )
  }
  const includeObject = first(context.query, 'includeObject') ?? ''
  const as = (choice.params.get('as') ?? '') as Form['as']
  if (as === 'Table' && !['', 'None', 'Metadata', 'Object'].includes(includeObject)) {
    throw badRequest(
      `Unable to convert to Table as requested: unrecognized includeObject value: ${JSON.stringify(includeObject)}`,
    )
  }
  return {
    type: `${choice.offer.type}/${choice.offer.subtype}` as Form['type'],
    as,
    asVersion: choice.params.get('v') ?? '',
    includeObject: (includeObject || 'Metadata') as Form['includeObject'],
    pretty: pretty || choice.params.get('pretty') === '1',
  }
}

function isPretty(context: Context, agent: string): boolean {
  if (context.query.size > 0) {
    const asked = first(context.query, 'pretty')
    if (asked !== undefined) return asked !== 'false' && asked !== '0'
  }
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0')
}

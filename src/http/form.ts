import { badRequest, notAcceptable } from '../meta/errors.ts'
import { first } from '../registry/context.ts'
import { PROTOBUF_TYPE, protobufType } from '../registry/read-body.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { wireNames } from '../vocabulary/wire-names.ts'
import type { Context } from './context.ts'
import { negotiate, type Offer } from './media-types.ts'

/** The negotiated form of a response. */
export interface Form {
  readonly type: 'application/json' | 'application/yaml' | 'protobuf'
  /** Media type of the response; the binary one is spelled as requested. */
  readonly mediaType: string
  /** Another shape of the same content. */
  readonly as: '' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  /** Group and version of that shape as requested, such as `meta/v1`; empty without a shape. */
  readonly asVersion: string
  readonly includeObject: 'None' | 'Metadata' | 'Object'
  readonly pretty: boolean
}

/** Media types of responses; the binary one only where the kind has such a form. */
const offered = (v: Vocabulary, hasBinary: boolean): string[] => [
  'application/json',
  'application/yaml',
  ...(hasBinary ? [protobufType(v)] : []),
]

interface FormOffer extends Offer {
  readonly form: Form['type']
  readonly mediaType: string
}

interface Offers {
  readonly all: readonly FormOffer[]
  readonly watch: readonly FormOffer[]
  /** The same for kinds without a binary form. */
  readonly text: readonly FormOffer[]
  readonly textWatch: readonly FormOffer[]
}

const offersByVocabulary = new WeakMap<Vocabulary, Offers>()

function offersOf(v: Vocabulary): Offers {
  let offers = offersByVocabulary.get(v)
  if (!offers) {
    const offer = (form: Form['type'], mediaType: string): FormOffer => {
      const [type = '', subtype = ''] = mediaType.split('/')
      return { type, subtype, form, mediaType }
    }
    const json = offer('application/json', 'application/json')
    const yaml = offer('application/yaml', 'application/yaml')
    const binary = wireNames(v, PROTOBUF_TYPE).map((name) => offer('protobuf', name))
    offers = {
      all: [json, yaml, ...binary],
      watch: [json, ...binary],
      text: [json, yaml],
      textWatch: [json],
    }
    offersByVocabulary.set(v, offers)
  }
  return offers
}

/** The whole object as JSON. */
export const PLAIN: Form = {
  type: 'application/json',
  mediaType: 'application/json',
  as: '',
  asVersion: '',
  includeObject: 'Metadata',
  pretty: false,
}

/**
 * The form of a verb's response. It is negotiated on first access and then cached with the request. Throws 400 and
 * 406.
 */
export const responseForm = (context: Context): Form =>
  (context.form ??= negotiated(context, { transform: true }))

/** The form of the events of a watch. Throws 400 and 406. */
export const watchForm = (context: Context): Form =>
  negotiated(context, { watch: true, transform: true })

/** The form of documents that describe the API, which have one shape. Throws 406. */
export const documentForm = (context: Context): Form => negotiated(context, { transform: false })

/** The form of a failure: it always has the same shape and never fails. */
export function failureForm(context: Context): Form {
  // Without another shape the result would be the same.
  if (context.form?.as === '') return context.form
  try {
    return negotiated(context, { transform: false })
  } catch {
    // Readable for people.
    return INDENTED
  }
}

const INDENTED: Form = { ...PLAIN, pretty: true }

/** Negotiates a form. Throws 400 and 406. */
function negotiated(context: Context, options: { watch?: boolean; transform: boolean }): Form {
  const accept = context.exchange.headers.accept
  const agent = context.exchange.headers['user-agent'] ?? ''
  const pretty = isPretty(context, agent)
  if ((accept === undefined || accept === 'application/json') && !pretty) return PLAIN
  const { v: words } = context.server.api
  const { hasBinary } = context
  const metaGroups = wireNames(words, 'meta{api}')
  const offers = offersOf(words)
  const accepts = (params: ReadonlyMap<string, string>, offer: FormOffer): boolean => {
    const as = params.get('as')
    const isBinary = offer.form === 'protobuf'
    if (as === undefined) return hasBinary || !isBinary
    if (!options.transform) return false
    // Table cells have any type, for which there is no protobuf message.
    if (as === 'Table' && (isBinary || !context.showsTables)) return false
    const v = params.get('v') ?? ''
    const g = params.get('g') ?? ''
    return (
      ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'].includes(as) &&
      (v === 'v1' || v === 'v1beta1') &&
      metaGroups.includes(g)
    )
  }
  const choose = (binary: boolean) =>
    negotiate(accept, offersIn(offers, options.watch === true, binary), accepts)
  // Metadata is the same for all kinds, and has a message.
  let choice = choose(hasBinary || accept?.includes(METADATA) === true)
  if (!hasBinary && choice?.offer.form === 'protobuf' && !choice.params.has('as'))
    choice = choose(false)
  if (!choice) {
    throw notAcceptable(
      options.watch === true
        ? ['application/json', ...(hasBinary ? [protobufType(words)] : [])].map(
            (type) => `${type};stream=watch`,
          )
        : offered(words, hasBinary),
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
    type: choice.offer.form,
    mediaType: choice.offer.mediaType,
    as,
    asVersion: as === '' ? '' : `${choice.params.get('g')}/${choice.params.get('v')}`,
    includeObject: (includeObject || 'Metadata') as Form['includeObject'],
    pretty: pretty || choice.params.get('pretty') === '1',
  }
}

function offersIn(offers: Offers, watches: boolean, hasBinary: boolean): readonly FormOffer[] {
  if (hasBinary) return watches ? offers.watch : offers.all
  return watches ? offers.textWatch : offers.text
}

const METADATA = 'as=PartialObjectMetadata'

/** Values that mean yes; all others mean no. */
const YES = ['1', 't', 'T', 'true', 'TRUE', 'True']

function isPretty(context: Context, agent: string): boolean {
  if (context.query.size > 0) {
    const requested = first(context.query, 'pretty') ?? ''
    if (requested !== '') return YES.includes(requested)
  }
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0')
}

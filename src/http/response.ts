/** The responses to verbs, in the forms that clients ask for. */
import { performance } from 'node:perf_hooks'
import { shownResult } from '../registry/conversion.ts'
import type { ListResult, Result } from '../registry/results.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { WaitingConversion } from '../catalogue/entry.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import { SharedPace } from '../base/shared-pace.ts'
import { asPart } from '../base/request-parts.ts'
import type { ShapeClass } from '../notation/shape.ts'
import type { ApiResponse, Context } from './context.ts'
import type { HeaderList } from './exchange.ts'
import { responseForm, documentForm, type Form } from './form.ts'
import { encodedChunks, GZIP_CHUNK, joined, listChunks } from './list-chunks.ts'
import {
  CHUNK,
  GZIP_FROM,
  gzipTo,
  newChunk,
  sendChunks,
  takeChunk,
  takesGzip,
} from './long-body.ts'
import {
  inTableOrder,
  itemBrace,
  itemSeparator,
  listBytes,
  objectJson,
  objectLine,
  type ListBytes,
} from './represent.ts'

/** Lists up to this size have memory of their own. Larger ones would be megabytes of garbage before it is collected. */
const OWN_BYTES = 64 << 10

/** Compact JSON, with the final newline of a complete response; indented JSON has none. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`

/** The response to a verb in the requested form. Throws 406. */
export function resultResponse(
  context: Context,
  served: ResourceEntry,
  result: Result,
): ApiResponse | Promise<ApiResponse> {
  const waiting = served.conversion?.waiting
  if (waiting) return convertedAnswer(context, waiting, result)
  const { record } = context
  record?.answered(served, result)
  const form = responseForm(context)
  if (!record?.parts) return madeResponse(context, served, result, form)
  const { parts } = record
  const isPlain = form.as === ''
  if (isPlain && parts.tracer === null) {
    const start = performance.now()
    const made = madeResponse(context, served, result, form)
    if (made instanceof Promise) return made.finally(() => parts.serialized(start))
    parts.serialized(start)
    return made
  }
  const begun = parts.begin(isPlain ? 'serialize-response-object' : 'transform-response-object')
  const made = madeResponse(context, served, result, form)
  if (made instanceof Promise) return made.finally(() => begun.end())
  begun.end()
  return made
}

function madeResponse(
  context: Context,
  served: ResourceEntry,
  result: Result,
  form: Form,
): ApiResponse | Promise<ApiResponse> {
  if (form.type === 'protobuf') return protobufAnswer(context, served, result, form)
  switch (result.is) {
    case 'status':
      return jsonResponse(
        context,
        result.status,
        { ...form, as: '' },
        Buffer.from(jsonLine(result.body)),
      )
    case 'object':
      return jsonResponse(
        context,
        result.status,
        form,
        form.as === ''
          ? objectLine(context.server.api, served, result.version)
          : objectJson(context.server.api, served, result.version, form),
      )
    case 'made':
      return jsonResponse(
        context,
        result.status,
        form,
        objectJson(context.server.api, result.served, result.object, form),
      )
    case 'list': {
      const list = inTableOrder(context.server.api, served, result, form)
      const bytes = listBytes(context.server.api, served, list, form)
      if (form.type === 'application/json' && !form.pretty)
        return listResponse(context, list, bytes)
      return textList(context, list, bytes, form)
    }
  }
}

/** The response with objects that need asynchronous conversion. */
async function convertedAnswer(
  context: Context,
  waiting: WaitingConversion,
  result: Result,
): Promise<ApiResponse> {
  // Negotiate first: a 406 must not cost a conversion.
  responseForm(context)
  const converting = shownResult(waiting, result)
  const parts = context.record?.parts
  const shown = await (parts ? asPart(parts, 'transform-response-object', converting) : converting)
  return resultResponse(context, waiting.shown, shown)
}

async function protobufAnswer(
  context: Context,
  served: ResourceEntry,
  result: Result,
  form: Form,
): Promise<ApiResponse> {
  const { resultMessage } = await import('./protobuf.ts')
  const take = takesGzip(context) ? newChunk : takeChunk
  const body = await resultMessage(context.server.api, result, { served, form, take })
  return binaryResponse(context, { status: result.status, mediaType: form.mediaType }, body)
}

/** A message in the binary form, in pieces as it was made. */
export function binaryResponse(
  context: Context,
  { status, mediaType }: { readonly status: number; readonly mediaType: string },
  message: readonly Buffer[],
): ApiResponse {
  const headers: HeaderList = ['content-type', mediaType]
  const length = message.reduce((sum, { length }) => sum + length, 0)
  if (length > GZIP_FROM && takesGzip(context)) {
    headers.push('content-encoding', 'gzip', 'vary', 'Accept-Encoding')
    return { status, headers, body: (out) => gzipTo(out, message) }
  }
  if (length <= CHUNK) return { status, headers, body: whole(message) }
  headers.push('content-length', String(length))
  return { status, headers, body: (out, pieces) => sendChunks(out, pieces, message) }
}

const whole = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)

/** A document that describes the API, in the requested form. */
export async function documentAnswer(
  context: Context,
  { shape }: ShapeClass<unknown>,
  json: Buffer,
): Promise<ApiResponse> {
  const form = documentForm(context)
  if (form.type !== 'protobuf') return jsonResponse(context, 200, form, json)
  const { documentMessage } = await import('./protobuf.ts')
  const body = documentMessage(context.server.api, shape, json)
  return binaryResponse(context, { status: 200, mediaType: form.mediaType }, [body])
}

/** A list as indented JSON or YAML. */
async function textList(
  context: Context,
  list: ListResult,
  bytes: ListBytes,
  form: Form,
): Promise<ApiResponse> {
  const { indentedList, yamlList } = await import('./list-text.ts')
  const texts =
    form.type === 'application/yaml'
      ? yamlList(list, bytes, await (await import('../codec/yaml.ts')).yamlWriter())
      : indentedList(list, bytes)
  const pace = new SharedPace()
  return chunkedResponse(context, form.type, joined(texts, pace), pace)
}

/** A list of generated items. */
function encodedListResponse(
  context: Context,
  result: ListResult,
  bytes: ListBytes,
): Promise<ApiResponse> {
  const pace = new SharedPace()
  const chunks = encodedChunks(result, bytes, takesGzip(context) ? newChunk : takeChunk, pace)
  return chunkedResponse(context, 'application/json', chunks, pace)
}

/**
 * A body that is made in chunks: in one piece when it is short, else with yields to the event loop between them. The
 * length is known to the client where two chunks hold everything, as they do for most pages.
 */
async function chunkedResponse(
  context: Context,
  mediaType: string,
  chunks: Generator<Buffer>,
  pace: SharedPace,
): Promise<ApiResponse> {
  const headers: HeaderList = ['content-type', mediaType]
  const isZipped = takesGzip(context)
  const first = chunks.next().value as Buffer
  if (first.length > GZIP_CHUNK || pace.isLong) await pace.giveWay()
  const second = chunks.next()
  if (second.done === true && (!isZipped || first.length <= GZIP_FROM))
    return { status: 200, headers, body: first }
  const begin = second.done === true ? [first] : [first, second.value]
  if (!isZipped) {
    await pace.giveWay()
    const third = chunks.next()
    if (third.done === true)
      headers.push('content-length', String(begin.reduce((sum, { length }) => sum + length, 0)))
    else begin.push(third.value)
  }
  function* all(): Generator<Buffer> {
    yield* begin
    yield* chunks
  }
  if (isZipped) {
    headers.push('content-encoding', 'gzip', 'vary', 'Accept-Encoding')
    return { status: 200, headers, body: (out) => gzipTo(out, all(), pace) }
  }
  return { status: 200, headers, body: (out, pieces) => sendChunks(out, pieces, all(), { pace }) }
}

const NEWLINE = Buffer.from('\n')

const asLine = (json: Buffer): Buffer =>
  json.at(-1) === NEWLINE[0] ? json : Buffer.concat([json, NEWLINE])

/** A complete JSON document, passed as a line of JSON, as JSON, indented JSON or YAML. */
function jsonResponse(
  context: Context,
  status: number,
  form: Form,
  json: Buffer,
): ApiResponse | Promise<ApiResponse> {
  if (form.type === 'application/yaml') return yamlAnswer(status, json)
  const body = form.pretty ? Buffer.from(formatJson(parseJson(json), 2)) : asLine(json)
  if (body.length > GZIP_FROM && takesGzip(context)) {
    return {
      status,
      headers: ['content-type', form.type, 'content-encoding', 'gzip', 'vary', 'Accept-Encoding'],
      body: (out) => gzipTo(out, [body]),
    }
  }
  return { status, headers: ['content-type', form.type], body }
}

/** A complete JSON document as YAML. */
export async function yamlAnswer(status: number, json: Buffer): Promise<ApiResponse> {
  const { toYaml } = await import('../codec/yaml.ts')
  const body = await toYaml(parseJson(json))
  return { status, headers: ['content-type', 'application/yaml'], body }
}

function listResponse(
  context: Context,
  result: ListResult,
  bytes: ListBytes,
): ApiResponse | Promise<ApiResponse> {
  const headers: HeaderList = ['content-type', 'application/json']
  const { from } = bytes
  let length = bytes.opening.length + bytes.closing.length + Math.max(0, result.items.length - 1)
  if (from === null) return encodedListResponse(context, result, bytes)
  for (const version of result.items) length += version.jsonBytes - from + 1
  if (length <= OWN_BYTES)
    return { status: 200, headers, body: wholeList(result, bytes, from, length) }
  if (length > GZIP_FROM && takesGzip(context)) {
    headers.push('content-encoding', 'gzip', 'vary', 'Accept-Encoding')
    return {
      status: 200,
      headers,
      body: (out) => gzipTo(out, listChunks(result, bytes, from, newChunk)),
    }
  }
  headers.push('content-length', String(length))
  return {
    status: 200,
    headers,
    body: (out, pieces) =>
      sendChunks(out, pieces, listChunks(result, bytes, from, takeChunk), {
        isOnly: length <= CHUNK,
      }),
  }
}

/** A list of known length in memory of its own. */
function wholeList(result: ListResult, bytes: ListBytes, from: number, length: number): Buffer {
  const body = Buffer.allocUnsafe(length)
  let at = bytes.opening.copy(body, 0)
  result.items.forEach((version, i) => {
    body[at++] = i === 0 ? itemBrace[0]! : itemSeparator[0]!
    if (i > 0) body[at++] = itemBrace[0]!
    at += version.copyTo(body, at, from)
  })
  bytes.closing.copy(body, at)
  return body
}

import { performance } from 'node:perf_hooks'
import { createGzip, constants } from 'node:zlib'
import { shownResult } from '../registry/conversion.ts'
import type { ListResult, Result } from '../registry/results.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { WaitingConversion } from '../catalogue/entry.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import { Pace } from '../base/event-loop.ts'
import { asPart } from '../base/request-parts.ts'
import type { ShapeClass } from '../notation/shape.ts'
import { HIJACKED, type ApiResponse, type Context, type StreamedBody } from './context.ts'
import type { HeaderList, Out } from './exchange.ts'
import type { Pieces } from './pieces.ts'
import { responseForm, documentForm, type Form } from './form.ts'
import {
  inTableOrder,
  itemBrace,
  itemSeparator,
  listBytes,
  objectJson,
  objectLine,
  type ListBytes,
} from './represent.ts'

// Bodies larger than this are compressed for clients that accept it.
const GZIP_FROM = 131_072
const CHUNK = 256 << 10
/** Size up to which a body is made and sent in one piece: larger ones are worth compressing. */
const GZIP_CHUNK = GZIP_FROM
/** Lists up to this size have memory of their own. Larger ones would be megabytes of garbage before it is collected. */
const OWN_BYTES = 64 << 10
/** Most items are smaller than this, bytes. */
const ITEM_ESTIMATE = 2048
/** Chunks end when they have taken so long, whatever their size: others wait meanwhile. */
const LONG_MS = 10

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
  const body = await resultMessage(context.server.api, served, result, form)
  return binaryResponse(context, { status: result.status, mediaType: form.mediaType }, body)
}

/** A message in the binary form. */
export function binaryResponse(
  context: Context,
  { status, mediaType }: { readonly status: number; readonly mediaType: string },
  body: Buffer,
): ApiResponse {
  const headers: HeaderList = ['content-type', mediaType]
  if (body.length <= GZIP_FROM || !takesGzip(context)) {
    if (body.length > CHUNK) headers.push('content-length', String(body.length))
    return { status, headers, body: pacedBody(body) }
  }
  headers.push('content-encoding', 'gzip', 'vary', 'Accept-Encoding')
  return { status, headers, body: (out) => gzipTo(out, [body]) }
}

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
  return binaryResponse(context, { status: 200, mediaType: form.mediaType }, body)
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
  return chunkedResponse(context, form.type, joined(texts))
}

/** The texts in chunks. */
function* joined(texts: Iterable<string>): Generator<Buffer> {
  let since = performance.now()
  let parts: Buffer[] = []
  let length = 0
  for (const text of texts) {
    const part = Buffer.from(text)
    parts.push(part)
    length += part.length
    if (length < GZIP_CHUNK && performance.now() - since < LONG_MS) continue
    yield Buffer.concat(parts)
    since = performance.now()
    parts = []
    length = 0
  }
  yield Buffer.concat(parts)
}

/** A list of generated items, in chunks of memory that `take` gives; longer items and short lists have their own. */
function* encodedChunks(
  result: ListResult,
  bytes: ListBytes,
  take: () => Buffer,
): Generator<Buffer> {
  let since = performance.now()
  const guess = bytes.opening.length + bytes.closing.length + result.items.length * ITEM_ESTIMATE
  let chunk = guess < GZIP_CHUNK ? Buffer.allocUnsafeSlow(guess) : take()
  let at = bytes.opening.copy(chunk)
  let isFirst = true
  for (const version of result.items) {
    const parts = bytes.item(version)
    let needed = 1 + bytes.closing.length
    // A UTF-16 unit is at most three bytes of UTF-8.
    for (const part of parts) needed += typeof part === 'string' ? 3 * part.length : part.length
    if (at + needed > chunk.length || performance.now() - since > LONG_MS) {
      yield chunk.subarray(0, at)
      since = performance.now()
      chunk = needed > GZIP_CHUNK ? Buffer.allocUnsafeSlow(needed) : take()
      at = 0
    }
    if (!isFirst) chunk[at++] = itemSeparator[0]!
    isFirst = false
    for (const part of parts) {
      at += typeof part === 'string' ? writeText(chunk, part, at) : part.copy(chunk, at)
    }
  }
  at += bytes.closing.copy(chunk, at)
  yield chunk.subarray(0, at)
}

/** For a few characters a call into native code costs more than they do. */
const FEW = 4

function writeText(chunk: Buffer, text: string, at: number): number {
  if (text.length > FEW) return chunk.write(text, at)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) return chunk.write(text, at)
    chunk[at + i] = code
  }
  return text.length
}

/** A list of generated items. */
const encodedListResponse = (
  context: Context,
  result: ListResult,
  bytes: ListBytes,
): Promise<ApiResponse> =>
  chunkedResponse(
    context,
    'application/json',
    encodedChunks(result, bytes, takesGzip(context) ? newChunk : takeChunk),
  )

/**
 * A body that is made in chunks: in one piece when it is short, else with yields to the event loop between them. The
 * length is known to the client where two chunks hold everything, as they do for most pages.
 */
async function chunkedResponse(
  context: Context,
  mediaType: string,
  chunks: Generator<Buffer>,
): Promise<ApiResponse> {
  const headers: HeaderList = ['content-type', mediaType]
  const isZipped = takesGzip(context)
  const pace = new Pace(LONG_MS)
  const first = chunks.next().value as Buffer
  if (first.length > GZIP_CHUNK) await nextTurn()
  else await pace.pause()
  const second = chunks.next()
  if (second.done === true && (!isZipped || first.length <= GZIP_FROM))
    return { status: 200, headers, body: first }
  const begin = second.done === true ? [first] : [first, second.value]
  if (!isZipped) {
    await nextTurn()
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
    return { status: 200, headers, body: (out) => gzipTo(out, all()) }
  }
  return { status: 200, headers, body: (out, pieces) => sendChunks(out, pieces, all()) }
}

/** A complete body. A large one is sent in chunks, with yields to the event loop between them. */
export function pacedBody(body: Buffer): ApiResponse['body'] {
  if (body.length <= CHUNK) return body
  function* chunks(): Generator<Buffer> {
    for (let at = 0; at < body.length; at += CHUNK) yield body.subarray(at, at + CHUNK)
  }
  return (out, pieces) => sendChunks(out, pieces, chunks())
}

/** Sends chunks, or the only one, with yields to the event loop between their pieces. */
async function sendChunks(
  out: Out,
  pieces: Pieces,
  chunks: Iterable<Buffer>,
  isOnly = false,
): Promise<void> {
  const nextSize = pieces.of()
  for (const chunk of chunks) {
    let at = 0
    while (at < chunk.length) {
      if (out.closed) return
      const end = at + nextSize()
      const isLast = end >= chunk.length
      const ok = isLast
        ? out.write(at === 0 ? chunk : chunk.subarray(at), () => giveBack(chunk))
        : out.write(chunk.subarray(at, end))
      if (isLast && isOnly) break
      await (ok ? nextTurn() : out.drained())
      at = end
    }
    if (isOnly) break
  }
  out.end()
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

/** Whether the client accepts compressed bodies. */
export const takesGzip = (context: Context) =>
  /(^|[ ,])gzip(;q=(0\.0*[1-9]|1)|[ ,]|$)/.test(
    String(context.exchange.headers['accept-encoding'] ?? ''),
  )

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
      sendChunks(out, pieces, listChunks(result, bytes, from, takeChunk), length <= CHUNK),
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

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

// Buffers of sent chunks, for the next list: fresh memory costs more than the copy into it.
const spare: ArrayBufferLike[] = []
const MAX_SPARE = 4

const newChunk = () => Buffer.allocUnsafeSlow(CHUNK)

function takeChunk(): Buffer {
  const memory = spare.pop()
  return memory ? Buffer.from(memory) : newChunk()
}

function giveBack(chunk: Buffer): void {
  if (chunk.buffer.byteLength === CHUNK && spare.length < MAX_SPARE) spare.push(chunk.buffer)
}

/** A list's bytes in chunks, each in memory that is not reused while the socket may read it. */
function* listChunks(
  result: ListResult,
  bytes: ListBytes,
  from: number,
  take: () => Buffer,
): Generator<Buffer> {
  let chunk = take()
  let at = bytes.opening.copy(chunk, 0)
  for (let i = 0; i < result.items.length; i++) {
    const version = result.items[i]!
    const size = version.jsonBytes - from + 2
    if (at + size > CHUNK) {
      yield chunk.subarray(0, at)
      const needed = size + bytes.closing.length
      chunk = needed > CHUNK ? Buffer.allocUnsafeSlow(needed) : take()
      at = 0
    }
    if (i > 0) chunk[at++] = itemSeparator[0]!
    chunk[at++] = itemBrace[0]!
    at += version.copyTo(chunk, at, from)
  }
  if (at + bytes.closing.length > chunk.length) {
    yield chunk.subarray(0, at)
    yield bytes.closing
    return
  }
  at += bytes.closing.copy(chunk, at)
  yield chunk.subarray(0, at)
}

async function gzipTo(out: Out, chunks: Iterable<Buffer>): Promise<void> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  gzip.on('data', (data: Buffer) => {
    if (out.closed) return
    if (!out.write(data)) {
      gzip.pause()
      void out.drained().then(() => gzip.resume())
    }
  })
  const ended = new Promise<void>((resolve, reject) => {
    gzip.once('end', resolve)
    gzip.once('error', reject)
  })
  for (const chunk of chunks) {
    if (out.closed) break
    if (gzip.write(chunk)) await nextTurn()
    else await new Promise<void>((resolve) => gzip.once('drain', resolve))
  }
  gzip.end()
  await ended
  out.end()
}

/** Sends a response. */
export function writeResponse(context: Context, answer: ApiResponse): void | Promise<void> {
  if (answer === HIJACKED) return
  const { exchange } = context
  const { headers } = context
  for (let i = 0; i < answer.headers.length; i++) headers.push(answer.headers[i]!)
  if (context.warnings) addWarnings(headers, context.warnings)
  if (exchange.begun) return
  if (typeof answer.body !== 'function') {
    exchange.send(answer.status, headers, answer.body)
    return
  }
  const out = exchange.open(answer.status, headers)
  return exchange.method === 'HEAD' ? undefined : stream(answer.body, out, context.server.pieces)
}

async function stream(body: StreamedBody, out: Out, pieces: Pieces): Promise<void> {
  try {
    await body(out, pieces)
  } catch (error) {
    // The status is sent already: the only way left to signal an incomplete response.
    out.destroy()
    throw error
  }
}

/** Code points of all warnings of one response, and of each of them when they exceed that. */
const MAX_WARNING_POINTS = 4096
const MAX_SHORT_WARNING_POINTS = 256

/** Adds warnings as headers: untruncated while all fit, else truncated, as many as fit. */
function addWarnings(headers: HeaderList, texts: ReadonlySet<string>): void {
  let left = MAX_WARNING_POINTS
  for (const text of texts) left -= lengthUpTo(text, left + 1)
  const isShort = left < 0
  left = MAX_WARNING_POINTS
  for (const text of texts) {
    if (isShort && left <= 0) return
    const shown = isShort ? beginningOf(text, MAX_SHORT_WARNING_POINTS) : text
    const value = warningValue(shown)
    if (value === null) continue
    if (isShort) left -= lengthUpTo(shown, MAX_SHORT_WARNING_POINTS)
    headers.push('warning', value)
  }
}

/** Code points of a text; counting stops at `most`. */
function lengthUpTo(text: string, most: number): number {
  let length = 0
  for (const _ of text) if (++length >= most) break
  return length
}

function beginningOf(text: string, points: number): string {
  let end = 0
  for (const char of text) {
    if (points-- === 0) return text.slice(0, end)
    end += char.length
  }
  return text
}

/**
 * A text as `Warning` header (RFC 7234, section 5.5), as raw UTF-8 bytes; null when it contains characters that are
 * not allowed in headers.
 */
function warningValue(text: string): string | null {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return null
  return `299 - "${Buffer.from(text.replaceAll(/["\\]/g, '\\$&')).toString('latin1')}"`
}

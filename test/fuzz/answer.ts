/** Answers, and what they say. */
import { gunzipSync } from 'node:zlib'
import { JSON_SCHEMA, load } from 'js-yaml'
import { unwrap } from '../../src/codec/protobuf-envelope.ts'
import { readWire } from './wire-tree.ts'

export interface FuzzAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Whether it came to its end. */
  readonly isWhole: boolean
}

/** A body that was read. */
export type Content =
  | { readonly form: 'json' | 'yaml'; readonly value: unknown }
  | {
      readonly form: 'protobuf'
      readonly kind: string
      readonly apiVersion: string
      readonly raw: Buffer
    }
  | { readonly form: 'events'; readonly values: readonly unknown[] }
  | { readonly form: 'other'; readonly text: string }
  | { readonly form: 'wrong'; readonly why: string }

/** Reads the body by its Content-Type. Of one that is not whole, what is. */
export function contentOf(answer: FuzzAnswer): Content {
  const [type = ''] = (answer.headers['content-type'] ?? '').split(';')
  const isStream = !answer.isWhole || /stream=watch/.test(answer.headers['content-type'] ?? '')
  try {
    const body =
      answer.headers['content-encoding'] === 'gzip' && answer.isWhole
        ? gunzipSync(answer.body)
        : answer.body
    if (answer.headers['content-encoding'] === 'gzip' && !answer.isWhole)
      return { form: 'other', text: '' }
    if (type === 'application/json') return isStream ? eventsOf(body, answer.isWhole) : json(body)
    if (isStream && !answer.isWhole) return { form: 'other', text: '' }
    if (type === 'application/yaml')
      return { form: 'yaml', value: load(body.toString(), { schema: JSON_SCHEMA }) }
    if (/^application\/vnd\.\w+\.protobuf$/.test(type))
      return isStream ? { form: 'other', text: '' } : binary(body)
    return { form: 'other', text: body.toString() }
  } catch (error) {
    return { form: 'wrong', why: `a body of ${type} that cannot be read: ${String(error)}` }
  }
}

function json(body: Buffer): Content {
  const text = body.toString()
  // A watch that ended in order is a row of documents.
  if (/\}\n\{/.test(text)) return eventsOf(body, true)
  return { form: 'json', value: JSON.parse(text) }
}

function eventsOf(body: Buffer, isWhole: boolean): Content {
  const lines = body.toString().split('\n')
  const last = lines.pop()!
  if (isWhole && last !== '') lines.push(last)
  return { form: 'events', values: lines.map((line) => JSON.parse(line) as unknown) }
}

function binary(body: Buffer): Content {
  const { kind, apiVersion, raw } = unwrap(body)
  if (readWire(raw) === null) throw new Error('no message')
  return { form: 'protobuf', kind, apiVersion, raw }
}

/** The status document that an answer is; null for any other. */
export function statusOf(content: Content): {
  readonly code: number | undefined
  readonly status: string
  readonly message: string
  readonly reason: string
} | null {
  if (content.form === 'json' || content.form === 'yaml') {
    const value = content.value as Record<string, unknown> | null
    if (typeof value !== 'object' || value === null || value['kind'] !== 'Status') return null
    return {
      code: value['code'] as number | undefined,
      status: String(value['status'] ?? ''),
      message: String(value['message'] ?? ''),
      reason: String(value['reason'] ?? ''),
    }
  }
  if (content.form !== 'protobuf' || content.kind !== 'Status') return null
  const fields = readWire(content.raw) ?? []
  const textOf = (number: number) => {
    const field = fields.find((f) => f.number === number)
    if (!field || field.type !== 2) return ''
    return Buffer.isBuffer(field.payload) ? field.payload.toString() : '(a message)'
  }
  const code = fields.find((f) => f.number === 6)?.payload
  return {
    code: Buffer.isBuffer(code) ? varint(code) : undefined,
    status: textOf(2),
    message: textOf(3),
    reason: textOf(4),
  }
}

const varint = (bytes: Buffer): number =>
  bytes.reduce((value, byte, i) => value + (byte & 127) * 2 ** (7 * i), 0)

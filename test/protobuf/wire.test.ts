/** The binary form beside messages of another library, in both directions, for every kind and version. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resources } from '../../src/kinds/index.ts'
import { DeleteOptions } from '../../src/kinds/meta/delete-options.ts'
import * as documents from '../../src/kinds/meta/documents.ts'
import { codecOf, Decoding, type JsonObject } from '../../src/codec/codec.ts'
import { formatJson } from '../../src/codec/json-text.ts'
import { BytesWriter } from '../../src/codec/message-writer.ts'
import {
  BETA_METADATA_LIST,
  ListWriter,
  unwrap,
  type ListNumbers,
} from '../../src/codec/protobuf-envelope.ts'
import { protobufOf } from '../../src/codec/protobuf.ts'
import type { Shape } from '../../src/notation/shape.ts'
import { kubernetes } from '../../src/vocabulary/kubernetes.ts'
import { arbitraryOf } from './arbitrary.ts'
import { Oracle } from './oracle.ts'

const SEED = 1_200_411
const RUNS = 25

const v = kubernetes
const NAMES: Readonly<Record<string, string>> = {
  'rbac.authorization': 'rbac',
  'flowcontrol.apiserver': 'flowcontrol',
  'internal.apiserver': 'apiserverinternal',
}

function referenceOf({ home, name }: Shape): string {
  const [group = '', version = ''] = home.replace('{api}', '').split('/')
  return `${NAMES[group] ?? group}.${version}.${name}`
}

const shapes = new Map<string, Shape>()
for (const { storage, versions = {}, subresources = {} } of resources) {
  const all = [storage, ...Object.values(versions).map(({ shape }) => shape)]
  for (const sub of Object.values(subresources)) if (sub.serves === 'action') all.push(sub.input)
  for (const { shape } of all) shapes.set(referenceOf(shape), shape)
}
// The release has a document of its own, in JSON alone.
const { Info: _info, ...messages } = documents
for (const { shape } of [DeleteOptions, ...Object.values(messages)])
  shapes.set(referenceOf(shape), shape)

/** As the codec writes it after reading: what is the same in meaning is the same in form. */
function canonical(shape: Shape, value: JsonObject): JsonObject {
  const codec = codecOf(shape, v)
  return codec.plain(codec.decode(value, new Decoding()))
}

/** The same with the members of each object in the opposite order. */
function turned(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(turned)
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, turned(member)] as const)
      .reverse(),
  )
}

/** The message of a list. */
function listOf(
  metadata: JsonObject,
  items: readonly JsonObject[],
  { shape, numbers }: { readonly shape: Shape; readonly numbers?: ListNumbers },
): Buffer {
  const list = new ListWriter(() => Buffer.alloc(1), numbers)
  for (const item of items)
    list.add((writer) => protobufOf(shape, v).transcode(Buffer.from(formatJson(item)), writer))
  const type = { kind: 'AnyList', apiVersion: 'v1' }
  const message = protobufOf(documents.ListMeta.shape, v).encode(metadata)
  return unwrap(Buffer.concat(list.finish(type, message))).raw
}

describe('messages agree with another library', () => {
  const oracle = new Oracle(v)
  for (const [reference, shape] of shapes) {
    test(reference, () => {
      const { encode, decode, transcode } = protobufOf(shape, v)
      let isParsed = false
      fc.assert(
        fc.property(arbitraryOf(shape, v), (object) => {
          const { kind: _k, apiVersion: _a, ...plain } = object
          const ours = encode(plain)
          const theirs = oracle.encode(reference, plain)
          expect(ours.toString('hex')).toBe(theirs.toString('hex'))
          const stored = shape.typed ? { kind: 'K', apiVersion: 'v1', ...plain } : plain
          const other = turned(plain) as JsonObject
          for (const [text, bytes] of [
            [formatJson(stored), theirs],
            [formatJson(stored, 1), theirs],
            [formatJson(other), encode(other)],
          ] as const) {
            const writer = new BytesWriter(Buffer.alloc(1))
            isParsed = !transcode(Buffer.from(text), writer) || isParsed
            expect(writer.written().toString('hex')).toBe(bytes.toString('hex'))
          }
          // What is stored never is.
          expect(transcode(Buffer.from(formatJson(stored)), new BytesWriter())).toBe(true)
          expect(canonical(shape, oracle.decode(reference, ours))).toEqual(canonical(shape, plain))
          expect(canonical(shape, decode(theirs))).toEqual(canonical(shape, plain))
        }),
        { seed: SEED, numRuns: RUNS },
      )
      expect(isParsed).toBe(true)
    })
  }

  test('lists of every kind', () => {
    const found: string[] = []
    for (const [reference, shape] of shapes) {
      const list = `${reference}List`
      // Documents that hold a list have its name alone.
      if (!oracle.has(list) || reference.startsWith('meta.')) continue
      found.push(list)
      const metadata = { resourceVersion: '7', continue: 'c', remainingItemCount: 0 }
      const items = fc.sample(arbitraryOf(shape, v), { seed: SEED, numRuns: 2 })
      const ours = listOf(metadata, items, { shape })
      expect(ours.toString('hex'), list).toBe(
        oracle.encode(list, { metadata, items }).toString('hex'),
      )
    }
    expect(found).toContain('core.v1.PodList')
    expect(found.length).toBeGreaterThan(50)
  })

  test('the beta list of metadata, whose numbers go the other way round', () => {
    const { shape } = documents.PartialObjectMetadata
    const metadata = { resourceVersion: '7' }
    const item = { metadata: { name: 'a' } }
    const ours = listOf(metadata, [item], { shape, numbers: BETA_METADATA_LIST })
    const theirs = oracle.encode('meta.v1beta1.PartialObjectMetadataList', {
      metadata,
      items: [item],
    })
    expect(ours.toString('hex')).toBe(theirs.toString('hex'))
  })
})

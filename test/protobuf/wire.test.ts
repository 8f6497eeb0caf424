/** The binary form beside messages of another library, in both directions, for every kind and version. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resources } from '../../src/kinds/index.ts'
import { DeleteOptions } from '../../src/kinds/meta/delete-options.ts'
import * as documents from '../../src/kinds/meta/documents.ts'
import { codecOf, Decoding, type JsonObject } from '../../src/codec/codec.ts'
import { BETA_METADATA_LIST, listMessage } from '../../src/codec/protobuf-envelope.ts'
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

describe('messages agree with another library', () => {
  const oracle = new Oracle(v)
  for (const [reference, shape] of shapes) {
    test(reference, () => {
      const { encode, decode } = protobufOf(shape, v)
      fc.assert(
        fc.property(arbitraryOf(shape, v), (object) => {
          const { kind: _k, apiVersion: _a, ...plain } = object
          const ours = encode(plain)
          const theirs = oracle.encode(reference, plain)
          expect(ours.toString('hex')).toBe(theirs.toString('hex'))
          expect(canonical(shape, oracle.decode(reference, ours))).toEqual(canonical(shape, plain))
          expect(canonical(shape, decode(theirs))).toEqual(canonical(shape, plain))
        }),
        { seed: SEED, numRuns: RUNS },
      )
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
      const ours = listMessage(
        protobufOf(documents.ListMeta.shape, v).encode(metadata),
        items.map((item) => protobufOf(shape, v).encode(item)),
      )
      expect(ours.toString('hex'), list).toBe(
        oracle.encode(list, { metadata, items }).toString('hex'),
      )
    }
    expect(found).toContain('core.v1.PodList')
    expect(found.length).toBeGreaterThan(50)
  })

  test('the beta list of metadata, whose numbers go the other way round', () => {
    const { ListMeta, PartialObjectMetadata } = documents
    const metadata = { resourceVersion: '7' }
    const item = { metadata: { name: 'a' } }
    const ours = listMessage(
      protobufOf(ListMeta.shape, v).encode(metadata),
      [protobufOf(PartialObjectMetadata.shape, v).encode(item)],
      BETA_METADATA_LIST,
    )
    const theirs = oracle.encode('meta.v1beta1.PartialObjectMetadataList', {
      metadata,
      items: [item],
    })
    expect(ours.toString('hex')).toBe(theirs.toString('hex'))
  })
})

/** Reads and writes whole bodies in the binary form, as a client would. */
import { Scale } from '../../src/kinds/autoscaling/scale.ts'
import { resources } from '../../src/kinds/index.ts'
import { ListMeta, Status } from '../../src/kinds/meta/documents.ts'
import { buildCatalogue, type ResourceEntry } from '../../src/catalogue/catalogue.ts'
import { codecOf, Decoding, type JsonObject } from '../../src/codec/codec.ts'
import { unwrap, wrap } from '../../src/codec/protobuf-envelope.ts'
import { readerOf } from '../../src/codec/protobuf-wire.ts'
import { protobufOf } from '../../src/codec/protobuf.ts'
import type { Shape } from '../../src/notation/shape.ts'
import type { Vocabulary } from '../../src/vocabulary/vocabulary.ts'

function shapeOf({ kind, published }: ResourceEntry): Shape {
  if (published.is !== 'shape') throw new Error(`${kind} has no shape`)
  return published.shape
}

/** The form in one vocabulary. */
export function protobufForm(v: Vocabulary) {
  const catalogue = buildCatalogue(resources, v, () => true)
  const shapes = new Map<string, Shape>()
  for (const { group, versions } of catalogue.groups) {
    for (const version of versions) {
      for (const served of catalogue.resources(group, version))
        shapes.set(`${served.groupVersion} ${served.kind}`, shapeOf(served))
    }
  }
  for (const body of [Scale]) {
    const { groupVersion, kind } = catalogue.body(body)
    shapes.set(`${groupVersion} ${kind}`, body.shape)
  }
  const plain = (shape: Shape, raw: Buffer) =>
    codecOf(shape, v).plain(
      codecOf(shape, v).decode(protobufOf(shape, v).decode(raw), new Decoding()),
    )

  return {
    name: 'protobuf',
    type: v.resolve('application/vnd.{brand}.protobuf'),
    write(value: object): Buffer {
      const { kind, apiVersion, ...rest } = value as JsonObject & {
        kind: string
        apiVersion: string
      }
      const shape = shapes.get(`${apiVersion} ${kind}`)!
      const decoded = codecOf(shape, v).decode(rest, new Decoding())
      return wrap(
        { kind, apiVersion },
        protobufOf(shape, v).encode(codecOf(shape, v).plain(decoded)),
      )
    },
    /** Type of the first event in a chunk of a watch. */
    eventType(chunk: Buffer): string {
      const reader = readerOf(chunk.subarray(4))
      reader.uint32()
      return reader.string()
    },
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read objects of every kind
    read(bytes: Buffer): any {
      const { kind, apiVersion, raw } = unwrap(bytes)
      if (kind === 'Status') return { kind, apiVersion, ...plain(Status.shape, raw) }
      const shape = shapes.get(`${apiVersion} ${kind}`)
      if (shape) return { kind, apiVersion, ...plain(shape, raw) }
      const item = shapes.get(`${apiVersion} ${kind.replace(/List$/, '')}`)!
      const reader = readerOf(raw)
      let metadata: JsonObject = {}
      const items: JsonObject[] = []
      while (reader.pos < reader.len) {
        const number = reader.uint32() >>> 3
        const message = Buffer.from(reader.bytes())
        if (number === 1) metadata = plain(ListMeta.shape, message)
        else items.push(plain(item, message))
      }
      return { kind, apiVersion, metadata, items }
    },
  }
}

/** Cells that look into the JSON of an object show what those of the whole object do, byte for byte. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hookContext } from '../../src/registry/context.ts'
import { asVersion, decodeDocument, encodeObject } from '../../src/registry/objects.ts'
import { PLAIN } from '../../src/http/form.ts'
import { listBytes } from '../../src/http/represent.ts'
import { inProcess } from '../../src/server/in-process.fixture.ts'
import type { JsonObject } from '../../src/codec/codec.ts'
import type { Typed } from '../../src/meta/object-meta.ts'
import { cellsOf } from '../../src/catalogue/table.ts'
import { manifests } from '../manifests.fixture.ts'
import { arbitraryOf } from '../protobuf/arbitrary.ts'

const SEED = 1_200_413
const RUNS = 12

const { api, close } = await inProcess()
await close()
const c = hookContext(api)

/** What makes a document long enough to be looked into, and would lead astray who does not see where texts end. */
const NOTE = '"spec":{"replicas":7},"metadata":{"name":"no"}},ä"\\'.repeat(24)

function grown(object: JsonObject): JsonObject {
  const { metadata } = object as { metadata?: { annotations?: object } }
  const managedFields = [{ manager: 'm', operation: 'Update', fieldsV1: { 'f:spec': {} } }]
  const annotations = { ...metadata?.annotations, note: NOTE }
  return { ...object, metadata: { ...metadata, annotations, managedFields } }
}

const outcome = (make: () => unknown) => {
  try {
    return make()
  } catch {
    // Objects of no sense may be beyond a cell; then they are so on both ways.
    return 'failed'
  }
}

for (const { versions } of api.catalogue.entries()) {
  const [served] = versions
  const { published, table } = served
  if (published.is !== 'shape') throw new Error(`${served.kind} has no shape`)
  const { shape } = published
  const list = { is: 'list', status: 200, revision: 1, continueToken: '', remaining: 0, items: [] }
  const rowOf = (object: object, includeObject: 'None' | 'Metadata' | 'Object') => {
    const version = asVersion(encodeObject(served, object as Typed), 77)
    const form = { ...PLAIN, as: 'Table', asVersion: 'meta.orch.io/v1', includeObject } as const
    const { item } = listBytes(api, served, list as never, form)
    return { version, row: () => Buffer.concat(item(version).map((part) => Buffer.from(part))) }
  }
  const whole = (text: string, shown: string) => {
    const object = JSON.parse(text) as Typed
    const cells = JSON.stringify(cellsOf(served, object, c))
    const conditions = table.rowConditions?.(object) ?? []
    const marks = conditions.length === 0 ? '' : `,"conditions":${JSON.stringify(conditions)}`
    return `{"cells":${cells}${marks},"object":${shown}}`
  }
  const check = (plain: JsonObject) => {
    for (const given of [plain, grown(plain)]) {
      const object = outcome(() => decodeDocument(served, given, c))
      if (object === 'failed') continue
      const { version, row } = rowOf(object as object, 'None')
      const text = version.json().toString('utf8')
      expect(outcome(() => row().toString('utf8'))).toBe(outcome(() => whole(text, 'null')))
      const { row: full } = rowOf(object as object, 'Object')
      expect(outcome(() => full().toString('utf8'))).toBe(outcome(() => whole(text, text)))
      const head = `{"kind":"PartialObjectMetadata","apiVersion":"${api.v.resolve('meta{api}')}/v1"`
      const partial = `${head},"metadata":${version.metadata().toString('utf8')}}`
      const { row: meta } = rowOf(object as object, 'Metadata')
      expect(outcome(() => meta().toString('utf8'))).toBe(outcome(() => whole(text, partial)))
    }
  }

  test(`${shape.home} ${shape.name}`, () => {
    for (const { kind, apiVersion, content, status } of manifests(api.v)) {
      if (kind !== served.kind || apiVersion !== served.storage.groupVersion) continue
      check({ kind, apiVersion, metadata: { name: 'minimal' }, ...content, ...status })
    }
    fc.assert(fc.property(arbitraryOf(shape, api.v), check), { seed: SEED, numRuns: RUNS })
  })
}

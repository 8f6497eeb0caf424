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
import { TableRows } from '../../src/catalogue/table-rows.ts'
import { manifests } from '../manifests.fixture.ts'
import { arbitraryOf } from '../protobuf/arbitrary.ts'

const SEED = 1_200_413
/** Kept rows are shown at once, and later. */
const LATER = [0, 0, 7_000, 90_061_000, -1e13]
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
  const isMade = true
  const list = { is: 'list', status: 200, revision: 1, continueToken: '', items: [], isMade }
  const rowOf = (object: object, includeObject: 'None' | 'Metadata' | 'Object') => {
    const version = asVersion(encodeObject(served, object as Typed), 77)
    const form = { ...PLAIN, as: 'Table', asVersion: 'meta.orch.io/v1', includeObject } as const
    const { item } = listBytes(api, served, list as never, form)
    return { version, row: () => Buffer.concat(item(version).map((part) => Buffer.from(part))) }
  }
  const kept = new TableRows()
  let keys = 0
  const whole = (text: string, shown: string, at = c) => {
    const object = JSON.parse(text) as Typed
    const cells = JSON.stringify(table.columns.map(({ cell }) => cell(object, at) ?? null))
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
      const source = { key: String(keys++), revision: 77 }
      for (const later of LATER) {
        const at = { ...c, now: c.now + later }
        const again = () => kept.text(served, source, () => JSON.parse(text) as Typed, at)
        expect(outcome(() => `${again()}null}`)).toBe(outcome(() => whole(text, 'null', at)))
      }
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

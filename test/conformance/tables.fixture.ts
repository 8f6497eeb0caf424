/** One object as a table in every way that there is: alone, in a list, in a watch; with all of it, its metadata or neither. */
import { expect } from 'vitest'
import type { Client } from '../client.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of every shape
type Json = Record<string, any>

/** Asks for a table. */
export const AS = { accept: 'application/json;as=Table;g=meta.orch.io;v=v1' }

/** Columns without their descriptions. */
export const plainColumns = (definitions: readonly Json[]) =>
  definitions.map(({ name, type, format, priority }) => ({ name, type, format, priority }))

/** Looks at the object of a name in a collection, changes it, and gives the columns. */
export async function sameInEveryForm(
  client: Client,
  collection: string,
  name: string,
  cells: readonly unknown[],
): Promise<readonly Json[]> {
  const path = `${collection}/${name}`
  const only = `fieldSelector=metadata.name%3D${name}`
  const { body: object } = await client.get(path)
  const partial = {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.orch.io/v1',
    metadata: object.metadata,
  }
  const get = async (query: string) => (await client.get(query, { headers: AS })).body

  const one = await get(path)
  const { columnDefinitions } = one
  expect(columnDefinitions.map((c: Json) => typeof c.description)).toEqual(
    columnDefinitions.map(() => 'string'),
  )
  expect(columnDefinitions.filter((c: Json) => c.description === '')).toEqual([])
  const table = (row: Json, definitions: unknown = columnDefinitions) => ({
    kind: 'Table',
    apiVersion: 'meta.orch.io/v1',
    metadata: { resourceVersion: object.metadata.resourceVersion },
    columnDefinitions: definitions,
    rows: [row],
  })
  expect(one).toEqual(table({ cells, object: partial }))
  expect(await get(`${path}?includeObject=None`)).toEqual(table({ cells, object: null }))
  expect(await get(`${path}?includeObject=Metadata`)).toEqual(table({ cells, object: partial }))
  expect(await get(`${path}?includeObject=Object`)).toEqual(table({ cells, object }))

  const plain = (await client.get(`${collection}?${only}`)).body
  for (const [include, shown] of [
    ['', partial],
    ['&includeObject=None', null],
    ['&includeObject=Object', object],
  ] as const) {
    expect(await get(`${collection}?${only}${include}`)).toEqual({
      ...table({ cells, object: shown }),
      metadata: plain.metadata,
    })
  }

  const watch = await client.watch(`${collection}?watch=1&${only}&includeObject=Object`, {
    headers: AS,
  })
  expect(await watch.next()).toEqual({ type: 'ADDED', object: table({ cells, object }) })
  const changed = (await client.merge(path, { metadata: { labels: { seen: 1 } } })).body
  expect(changed.message).toContain('labels')
  const labels = { seen: 'yes' }
  const { body: next } = await client.merge(path, { metadata: { labels } })
  expect(await watch.next()).toEqual({
    type: 'MODIFIED',
    object: {
      ...table({ cells, object: next }, null),
      metadata: { resourceVersion: next.metadata.resourceVersion },
    },
  })
  watch.close()
  await client.merge(path, { metadata: { labels: { seen: null } } })
  return columnDefinitions
}

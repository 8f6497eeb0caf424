import { expect, test } from 'vitest'
import { copyMetadata } from './copy-metadata.ts'
import { ObjectMeta, type ManagedFieldsEntry } from './object-meta.ts'

/** Metadata with a value of its own for each declared member. */
const whole = Object.fromEntries(
  [...ObjectMeta.shape.fields.keys()].map((name) => [name, [name]]),
) as unknown as ObjectMeta

test('a copy has the very same members, all that are declared, in their order', () => {
  const copy = copyMetadata(whole, whole.managedFields)
  expect(copy).not.toBe(whole)
  expect(Object.entries(copy)).toEqual(Object.entries(whole))
  expect(copy.labels).toBe(whole.labels)
})

test('a copy has the given entries of managedFields, or none', () => {
  const entries: ManagedFieldsEntry[] = []
  expect(copyMetadata(whole, entries).managedFields).toBe(entries)
  expect(Object.keys(copyMetadata({ uid: 'u', managedFields: [] }, undefined))).toEqual(['uid'])
})

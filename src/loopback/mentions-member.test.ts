import { expect, test } from 'vitest'
import { MemberNames } from '../client/member-names.ts'
import { mentionsMember } from './mentions-member.ts'

const names = new MemberNames(['deletionTimestamp'])

const entries = [
  { manager: 'deletionTimestamp', fieldsV1: { 'f:metadata': { ownerReferences: {} } } },
]

test.each([
  ['a member', { name: 'a', deletionTimestamp: 'x' }, true],
  ['none', { name: 'a' }, false],
  ['nothing', {}, false],
  ['a value', { name: 'deletionTimestamp', labels: { a: '"deletionTimestamp":' } }, false],
  ['a longer name', { deletionTimestamps: 'x', xdeletionTimestamp: 'x' }, false],
  ['an annotation, which is taken for a member', { annotations: { deletionTimestamp: 'x' } }, true],
  [
    'a label with the name of the entries before it',
    { labels: { managedFields: 'x' }, deletionTimestamp: 'x' },
    true,
  ],
  ['entries', { name: 'a', managedFields: [{ ...entries[0], deletionTimestamp: 'x' }] }, false],
  ['entries behind it', { deletionTimestamp: 'x', managedFields: entries }, true],
])('metadata with %s', (_, metadata, expected) => {
  expect(mentionsMember(Buffer.from(JSON.stringify(metadata)), names)).toBe(expected)
})

test('metadata that is cut off', () => {
  expect(mentionsMember(Buffer.from('{"deletionTimestamp"'), names)).toBe(false)
  expect(mentionsMember(Buffer.from('{"deletionTime'), names)).toBe(false)
})

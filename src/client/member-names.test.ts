import { expect, test } from 'vitest'
import { MemberNames } from './member-names.ts'

const names = new MemberNames(['ephemeral', 'emptyDir', 'cinder'])

test.each([
  ['the first name', { spec: { volumes: [{ ephemeral: {} }] } }, true],
  ['another one', { cinder: null }, true],
  ['none', { spec: { volumes: [{ secret: {} }] } }, false],
  ['nothing', {}, false],
  ['a value', { a: 'ephemeral', b: ['cinder'], c: '"cinder":', d: '"' }, false],
  ['a longer name', { ephemerals: 1, xcinder: 1 }, false],
  ['another character behind a quote', { é: 1, a: 'é"' }, false],
])('JSON with %s', (_, value, expected) => {
  expect(names.isIn(Buffer.from(JSON.stringify(value)))).toBe(expected)
})

test('what is before the place does not count', () => {
  const json = Buffer.from('{"cinder":1,"a":{"emptyDir":2}}')
  expect(names.isIn(json, 12)).toBe(true)
  expect(names.isIn(json, 18)).toBe(false)
})

test('JSON that is cut off', () => {
  expect(names.isIn(Buffer.from('{"cinder"'))).toBe(false)
  expect(names.isIn(Buffer.from('{"'))).toBe(false)
})

test.each([
  ['one of them', { emptyDir: undefined }, true],
  ['others', { emptyDirs: 1, spec: { cinder: 1 } }, false],
  ['inherited ones', Object.create({ cinder: 1 }) as object, false],
])('an object with %s', (_, object, expected) => {
  expect(names.isOf(object)).toBe(expected)
})

import { expect, test } from 'vitest'
import { roundResources, sameAmount, sameResources } from './resource-requirements.ts'

test('amounts are rounded up to thousandths', () => {
  const list = { a: '1Gi', b: '100m', c: '1u', d: '1500u', e: '-1n', f: '1e-6', g: '1E', h: '0' }
  roundResources(list)
  expect(list).toEqual({
    a: '1Gi',
    b: '100m',
    c: '1m',
    d: '2m',
    e: '-1m',
    f: '1e-3',
    g: '1E',
    h: '0',
  })
  roundResources(undefined)
})

test('amounts are the same however they are written', () => {
  expect(sameAmount('1Gi', '1073741824')).toBe(true)
  expect(sameAmount('1Gi', '1G')).toBe(false)
  expect(sameAmount(undefined, '0')).toBe(true)
  expect(sameResources({ storage: '1Gi' }, { storage: '1073741824' })).toBe(true)
  expect(sameResources({ storage: '0' }, {})).toBe(false)
  expect(sameResources({ storage: '0' }, { cpu: '0' })).toBe(false)
  expect(sameResources(undefined, {})).toBe(true)
})

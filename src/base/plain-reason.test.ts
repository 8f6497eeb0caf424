import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { forFlag, forFlagSync, plainMessage, plainReason } from './plain-reason.ts'

const thrown = (act: () => unknown): unknown => {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('reasons', () => {
  for (const { name, error, reason } of [
    {
      name: 'no file',
      error: thrown(() => readFileSync('/no/such')),
      reason: 'there is no such file',
    },
    {
      name: 'a folder',
      error: thrown(() => readFileSync('/')),
      reason: 'it is a folder',
    },
    {
      name: 'a code without words',
      error: Object.assign(new Error('EXDEV: cross-device link not permitted, rename'), {
        code: 'EXDEV',
        syscall: 'rename',
      }),
      reason: 'the system refuses it (EXDEV)',
    },
    {
      name: 'no certificate',
      error: thrown(() => new X509Certificate('x')),
      reason: 'no certificate or key that can be read',
    },
    {
      name: 'no key',
      error: thrown(() => createPrivateKey('x')),
      reason: 'no certificate or key that can be read',
    },
    { name: 'one of ours', error: new Error('two\nlines'), reason: 'two lines' },
    { name: 'no error at all', error: 'text', reason: 'text' },
  ]) {
    test(name, () => expect(plainReason(error)).toBe(reason))
  }
})

test('a message has the path', () => {
  expect(plainMessage(thrown(() => readFileSync('/no/such')))).toBe(
    '/no/such: there is no such file',
  )
  expect(plainMessage(new Error('why'))).toBe('why')
})

test('failures name the flag and keep the cause', async () => {
  const cause = new Error('why')
  const fails = () => {
    throw cause
  }
  const expected = new Error('--a-file: why', { cause })
  expect(thrown(() => forFlagSync('a-file', fails))).toEqual(expected)
  await expect(forFlag('a-file', fails)).rejects.toEqual(expected)
  await expect(forFlag('a-file', () => Promise.reject(cause))).rejects.toEqual(expected)
  expect(await forFlag('a-file', () => Promise.resolve(1))).toBe(1)
})

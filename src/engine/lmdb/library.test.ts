import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { open } from './library.ts'

const loaded = () =>
  Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('msgpackr'))

test('the encoder of other values is loaded when a store needs it', async () => {
  expect(loaded()).toEqual([])
  const dir = mkdtempSync(join(tmpdir(), 'library-'))
  const bytes = open({ path: join(dir, 'bytes'), encoding: 'binary' })
  await bytes.put('key', Buffer.from('value'))
  expect(loaded()).toEqual([])
  // Others in the process may use the library for any values.
  const values = open({ path: join(dir, 'values') })
  await values.put('key', { of: ['any', 1] })
  expect(values.get('key')).toEqual({ of: ['any', 1] })
  expect(loaded()).not.toEqual([])
  await Promise.all([bytes.close(), values.close()])
  rmSync(dir, { recursive: true, force: true })
})

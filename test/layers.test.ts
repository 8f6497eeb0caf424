import { join } from 'node:path'
import { expect, test } from 'vitest'
import { derivations, walk } from './layers.ts'

test('rooms import only what lies below them, without cycles', () => {
  const { files, imports, faults } = walk(join(import.meta.dirname, '..', 'src'))
  // A check that sees nothing finds nothing.
  expect(files).toBeGreaterThan(60)
  expect(imports).toBeGreaterThan(200)
  expect(faults).toEqual([])
})

test.each([
  { text: 'const t = topologyOf(served.shape, v)', calls: 'topologyOf(served.shape' },
  {
    text: 'checkDeclared(declaration.storage.shape, next, errors)',
    calls: 'checkDeclared(declaration',
  },
  { text: 'const codec = codecOf(DeleteOptions.shape)', calls: null },
])('handlers derive nothing of a kind from its shape: $text', ({ text, calls }) => {
  const expected = calls === null ? [] : [expect.stringContaining(calls)]
  expect(derivations('registry/some.ts', text)).toEqual(expected)
})

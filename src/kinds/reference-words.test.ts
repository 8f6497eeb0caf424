/** Paths of errors that no field has: each is marked as taken over from the reference, so that nobody mends it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Holds, Shape } from '../notation/shape.ts'
import { resources } from './index.ts'

/** Lines between the remark and the path. */
const NEAR = 6

function fieldNames(): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<Shape>()
  const holding = (holds: Holds): void => {
    if ('of' in holds) holding(holds.of)
    else if ('to' in holds) visit(holds.to())
    else if (holds.special) visit(holds.special.of())
  }
  const visit = (shape: Shape): void => {
    if (seen.has(shape)) return
    seen.add(shape)
    for (const [name, { holds }] of shape.fields) {
      names.add(name)
      holding(holds)
    }
  }
  for (const { storage } of resources) visit(storage.shape)
  return names
}

test('paths that no field has say why', () => {
  const known = fieldNames()
  const unmarked: string[] = []
  const marked: string[] = []
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter(
    (name) => name.endsWith('.ts') && !/\.(test|fixture)\./.test(name),
  )) {
    const lines = readFileSync(join(import.meta.dirname, file), 'utf8').split('\n')
    for (const [i, line] of lines.entries()) {
      for (const [, given = ''] of line.matchAll(/\.at\(([^()]*)\)/g)) {
        const names = [...given.matchAll(/'([^']+)'/g)].flatMap(([, path]) =>
          path!.startsWith('{') ? [path!] : path!.split('.'),
        )
        if (names.every((name) => known.has(name))) continue
        const before = lines.slice(Math.max(0, i - NEAR), i + 1).join('\n')
        const list = before.includes('// As the reference writes it') ? marked : unmarked
        list.push(`${file}: ${names.join('.')}`)
      }
    }
  }
  expect(unmarked).toEqual([])
  expect(marked).toContain('storage/csi-driver.ts: attachedRequired')
})

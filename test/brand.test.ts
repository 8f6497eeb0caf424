import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const BRAND = /\borch\b|orch\.io|\borch-|kubernetes|k8s|kubelet|kubectl|\bkube-/i

test('no branded word stands outside the vocabulary', () => {
  const src = join(import.meta.dirname, '..', 'src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.endsWith('.test.ts') &&
      !file.endsWith('.fixture.ts') &&
      !file.startsWith('vocabulary/'),
  )
  expect(files.length).toBeGreaterThan(60)
  const found = files.flatMap((file) =>
    readFileSync(join(src, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (BRAND.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})

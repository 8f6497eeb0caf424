import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { joined, literal, piece, separated } from './pieces.ts'

for (const { name, texts } of [
  { name: 'none', texts: [] },
  { name: 'one', texts: ['{"a":1}'] },
  { name: 'empty ones', texts: ['', 'x', ''] },
  { name: 'several', texts: ['a'.repeat(100_000), 'ä', 'b'.repeat(70_001), '\u0000'] },
])
  test(`pieces are one file, which any reader checks: ${name}`, async () => {
    const pieces = await Promise.all(texts.map((text) => piece(Buffer.from(text))))
    const whole = separated(pieces, literal(','))
    const { gzip, hash } = joined([literal('<'), ...whole, literal('>')])
    expect(gunzipSync(gzip).toString('utf8')).toBe(`<${texts.join(',')}>`)
    expect(hash).toMatch(/^[0-9A-F]{128}$/)
  })

test('a file is known by its bytes', async () => {
  const hashOf = async (...texts: string[]) =>
    joined(await Promise.all(texts.map((text) => piece(Buffer.from(text))))).hash
  expect(await hashOf('a', 'b')).toBe(await hashOf('a', 'b'))
  expect(await hashOf('a', 'b')).not.toBe(await hashOf('a', 'c'))
})

import { gunzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { joined, literal, Packer, separated, type Piece } from './pieces.ts'
import { atOnce } from './steps.ts'

const packer = new Packer()
afterEach(() => packer.rest())

const packed = (texts: readonly string[]): Promise<Piece[]> =>
  Promise.all(texts.map((text) => packer.piece(Buffer.from(text))))

for (const { name, texts } of [
  { name: 'none', texts: [] },
  { name: 'one', texts: ['{"a":1}'] },
  { name: 'empty ones', texts: ['', 'x', ''] },
  { name: 'several', texts: ['a'.repeat(100_000), 'ä', 'b'.repeat(70_001), '\u0000'] },
])
  test(`pieces are one file, which any reader checks: ${name}`, async () => {
    const pieces = await packed(texts)
    const whole = separated(pieces, literal(','))
    const { gzip, hash } = atOnce(joined([literal('<'), ...whole, literal('>')]))
    expect(gunzipSync(gzip).toString('utf8')).toBe(`<${texts.join(',')}>`)
    expect(hash).toMatch(/^[0-9A-F]{128}$/)
  })

test('a file is known by its bytes', async () => {
  const hashOf = async (...texts: string[]) => atOnce(joined(await packed(texts))).hash
  expect(await hashOf('a', 'b')).toBe(await hashOf('a', 'b'))
  expect(await hashOf('a', 'b')).not.toBe(await hashOf('a', 'c'))
})

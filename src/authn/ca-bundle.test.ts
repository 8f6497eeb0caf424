import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { lineLog } from '../base/log.ts'
import { CaBundle, fileSource, fixedSource, parseBundle } from './ca-bundle.ts'
import { make } from './certificates.fixture.ts'

const one = make({ subject: ['CN=one'], authority: true })
const two = make({ subject: ['CN=two'], authority: true })

const contentOf = (bundle: CaBundle) => ({
  generation: bundle.generation,
  subjects: bundle.authorities.map(({ certificate }) => certificate.subject),
})

describe('contents', () => {
  const key = one.key
  for (const { name, pem, subjects } of [
    { name: 'one', pem: one.pem, subjects: ['CN=one'] },
    {
      name: 'several, with text between',
      pem: `a\n${one.pem}b\n${two.pem}`,
      subjects: ['CN=one', 'CN=two'],
    },
    { name: 'with a private key', pem: key + one.pem, subjects: ['CN=one'] },
    { name: 'other line ends', pem: one.pem.replaceAll('\n', '\r\n'), subjects: ['CN=one'] },
    { name: 'nothing', pem: '', subjects: 'it holds no certificate' },
    { name: 'a key only', pem: key, subjects: 'it holds no certificate' },
    {
      name: 'one that is none',
      pem: `${one.pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      subjects: 'it holds a certificate that cannot be read',
    },
  ]) {
    test(name, () => {
      if (Array.isArray(subjects)) {
        expect(parseBundle(pem).map((d) => d.certificate.subject)).toEqual(subjects)
      } else expect(() => parseBundle(pem)).toThrow(subjects)
    })
  }

  test('a first content that cannot be used is an error that names the source', async () => {
    const source = fixedSource('ca.pem', 'x')
    await expect(CaBundle.open({ source, clock: new ManualClock() })).rejects.toThrow(
      'cannot use the authorities in ca.pem: it holds no certificate',
    )
  })
})

test('read again each minute; an unusable bundle changes nothing', async () => {
  const clock = new ManualClock()
  const lines: string[] = []
  const log = lineLog({ format: 'json', level: 0, now: () => 0, write: (line) => lines.push(line) })
  let text: string | Error = one.pem
  let reads = 0
  const source = {
    name: 'ca.pem',
    read: async () => {
      reads++
      if (text instanceof Error) throw text
      return text
    },
  }
  const bundle = await CaBundle.open({ source, clock, log })
  let changes = 0
  bundle.onChange(() => changes++)
  const steps = []
  for (const next of [one.pem, 'x', new Error('gone'), two.pem, one.pem]) {
    text = next
    clock.advance(59_999)
    const before = reads
    clock.advance(1)
    await bundle.refresh()
    steps.push({ ...contentOf(bundle), early: before === reads, changes })
  }
  expect(steps).toEqual([
    { generation: 1, subjects: ['CN=one'], early: false, changes: 0 },
    { generation: 1, subjects: ['CN=one'], early: false, changes: 0 },
    { generation: 1, subjects: ['CN=one'], early: false, changes: 0 },
    { generation: 2, subjects: ['CN=two'], early: false, changes: 1 },
    { generation: 3, subjects: ['CN=one'], early: false, changes: 2 },
  ])
  // Read twice, said once.
  expect(lines.map((line) => (JSON.parse(line) as { error?: string }).error)).toEqual([
    'it holds no certificate',
    'gone',
  ])
  bundle.close()
  bundle.close()
  const before = reads
  clock.advance(600_000)
  await bundle.refresh()
  expect(reads).toBe(before)
})

test('a change of the file shows before the minute is over', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bundle-'))
  try {
    const path = join(dir, 'ca.pem')
    await writeFile(path, one.pem)
    const bundle = await CaBundle.open({ source: fileSource(path), clock: new ManualClock() })
    const changed = new Promise<void>((resolve) => bundle.onChange(resolve))
    await writeFile(join(dir, 'new.pem'), two.pem)
    await rename(join(dir, 'new.pem'), path)
    await changed
    expect(contentOf(bundle)).toEqual({ generation: 2, subjects: ['CN=two'] })
    bundle.close()
  } finally {
    await rm(dir, { recursive: true })
  }
})

import { describe, expect, test } from 'vitest'
import { spaceFor } from './space.ts'
import { WriteMemory } from './write-memory.ts'
import { WriteList, type Write } from './writes.ts'

const write = (n: number, bytes: number): Write => ({
  database: (['values', 'heads', 'meta', 'expiries'] as const)[n % 4]!,
  key: Buffer.from(`key ${n}`),
  value: n % 5 === 4 ? null : Buffer.alloc(bytes, `${n} `),
})

/** As text, which is compared much faster. */
const texts = (writes: readonly Write[]) =>
  writes.map(({ database, key, value }) => [
    database,
    String(key),
    value && value.toString('latin1'),
  ])

function add(list: WriteList, { database, key, value }: Write): void {
  if (value === null) list.remove(database, key)
  else list.put(database, key, value)
}

const LISTS: Readonly<Record<string, readonly Write[]>> = {
  nothing: [],
  'an empty value': [write(1, 0)],
  'a removal': [write(4, 0)],
  'some writes': Array.from({ length: 20 }, (_, n) => write(n, 10 * n)),
  'one that is larger than a block': [write(0, 1 << 20), write(1, 3)],
  'many that are larger than a block together': Array.from({ length: 300 }, (_, n) =>
    write(n, 4_000),
  ),
}

describe.each([
  ['of its own', (): WriteMemory | null => null],
  ['that is shared', () => new WriteMemory()],
] as const)('a list in memory %s', (_, memoryOf) => {
  test.each(Object.entries(LISTS))('holds %s', (_what, writes) => {
    const list = new WriteList(memoryOf())
    for (const one of writes) add(list, one)
    expect(texts(list.all)).toEqual(texts(writes))
    expect(list.isEmpty).toBe(writes.length === 0)
    expect(list.bytes).toBe(list.packed.length)
    expect(list.space).toBe(
      writes.reduce((sum, { value }) => sum + spaceFor(value && value.length), 0),
    )
    const again = WriteList.of(Buffer.from(list.packed))
    expect([texts(again.all), again.space]).toEqual([texts(writes), list.space])
  })

  test('gives places for what is written later', () => {
    const list = new WriteList(memoryOf())
    add(list, write(0, 600))
    const at = list.reserve('heads', 3, 5)
    list.memory.write('keyvalue', at)
    const place = list.placeOf(at + 3)
    expect(list.copy(place, 5).toString()).toBe('value')
    // The list moves to where there is room.
    for (let n = 1; n < 400; n++) add(list, write(n, 4_000))
    expect(list.copy(place, 5).toString()).toBe('value')
    expect(list.all[1]).toEqual({
      database: 'heads',
      key: Buffer.from('key'),
      value: Buffer.from('value'),
    })
  })
})

test('lists that are filled in turns do not touch one another', () => {
  const memory = new WriteMemory()
  const lists = [0, 1, 2].map(() => new WriteList(memory))
  for (let n = 0; n < 30; n++) add(lists[n % 3]!, write(n, 500 + n))
  for (const [i, list] of lists.entries())
    expect(texts(list.all)).toEqual(
      texts(Array.from({ length: 10 }, (_, k) => write(3 * k + i, 500 + 3 * k + i))),
    )
})

test('memory is used again only when every list in it was released', () => {
  const memory = new WriteMemory()
  const filled = (n: number) => {
    const list = new WriteList(memory)
    add(list, write(n, 120_000))
    return list
  }
  // Four have room in a block; a fifth begins the next.
  const [a, b, c, d, e] = [0, 1, 2, 3, 5].map(filled) as [WriteList, WriteList, ...WriteList[]]
  const first = a.memory.buffer
  expect([b, c, d].map((list) => list?.memory.buffer === first)).toEqual([true, true, true])
  expect(e?.memory.buffer).not.toBe(first)
  for (const list of [a, b, c]) list?.release()
  expect(texts(d?.all ?? [])).toEqual(texts([write(3, 120_000)]))
  const others = Array.from({ length: 10 }, () => filled(6).memory.buffer)
  expect(others).not.toContain(first)
  d?.release()
  expect(Array.from({ length: 5 }, () => filled(7).memory.buffer)).toContain(first)
})

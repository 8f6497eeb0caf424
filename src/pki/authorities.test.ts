import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { systemClock, type Clock } from '../base/clock.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { authoritiesOf, joined, type Authorities, type AuthorityStore } from './authorities.ts'
import { createPki, ensurePki } from './files.ts'
import type { Pki } from './pki.ts'

const options = {
  vocabulary: vocabularies.orch,
  clock: systemClock,
  bindAddress: '192.0.2.1',
  machine: { name: 'box', addresses: [] },
}
const YEAR_MS = 365 * 86_400_000
const inYears = (years: number): Clock => ({
  ...systemClock,
  now: () => Date.now() + years * YEAR_MS,
})

/** A store in memory; a callback runs before each write. */
function store(held: Authorities | null = null, isFirst: () => boolean = () => true) {
  let revision = held ? 1 : 0
  const self: AuthorityStore & { held: Authorities | null } = {
    held,
    place: 'the key',
    read: async () => (self.held ? { authorities: self.held, revision } : null),
    async publish(authorities, over) {
      if (over !== revision || !isFirst()) return false
      revision++
      self.held = authorities
      return true
    },
  }
  return self
}

let a: Pki
let b: Pki
beforeAll(async () => {
  ;[a, b] = await Promise.all([createPki(options), createPki(options)])
})

describe('the files and the authorities of the cluster', () => {
  const table: readonly [name: string, kept: () => object, expected: () => object | string][] = [
    ['nothing kept', () => ({}), () => authoritiesOf(a)],
    ['the same', () => a, () => a],
    ['the same, written otherwise', () => ({ ...a, ca: `text\n${a.ca}` }), () => a],
    ['without the key', () => ({ ca: a.ca }), () => authoritiesOf(a)],
    ['another authority', () => b, () => 'is not the certificate authority'],
    [
      'another key for tokens',
      () => ({ ...a, saPrivateKey: b.saPrivateKey }),
      () => 'is not the key for tokens of service accounts',
    ],
    ['no certificate', () => ({ ca: 'x' }), () => 'is not the certificate authority'],
  ]
  for (const [name, kept, expected] of table) {
    test(name, () => {
      const wanted = expected()
      const run = () => joined(kept(), authoritiesOf(a), Date.now())
      if (typeof wanted === 'string') expect(run).toThrow(wanted)
      else expect(run()).toEqual(wanted)
    })
  }

  test('an authority that is about to end counts as none', () => {
    const kept = { ...b, saPrivateKey: a.saPrivateKey }
    expect(joined(kept, authoritiesOf(a), inYears(11).now()).ca).toBe(a.ca)
  })
})

describe('in common', () => {
  test('the first publishes its authorities', async () => {
    const shared = store()
    const pki = await createPki({ ...options, shared })
    expect(shared.held).toEqual(authoritiesOf(pki))
  })

  describe('the store is called no more than necessary', () => {
    const table: readonly [
      name: string,
      held: () => Pki | null,
      kept: () => Pki | null,
      asks: string[],
    ][] = [
      ['nothing anywhere', () => null, () => null, ['publish']],
      ['everything kept and held', () => a, () => a, ['read']],
      ['held alone', () => a, () => null, ['publish', 'read']],
      ['kept alone', () => null, () => a, ['read', 'publish']],
    ]
    for (const [name, held, kept, expected] of table) {
      test(name, async () => {
        const dir = await mkdtemp(join(tmpdir(), 'authorities-'))
        try {
          const own = kept()
          if (own) await ensurePki({ ...options, dir, inherited: async () => own })
          const had = held()
          const shared = store(had && authoritiesOf(had))
          const asks: string[] = []
          const pki = await ensurePki({
            ...options,
            dir,
            shared: {
              place: shared.place,
              read: () => (asks.push('read'), shared.read()),
              publish: (...given) => (asks.push('publish'), shared.publish(...given)),
            },
          })
          expect(asks).toEqual(expected)
          expect(authoritiesOf(pki)).toEqual(authoritiesOf(had ?? own ?? pki))
          expect(shared.held).toEqual(authoritiesOf(pki))
        } finally {
          await rm(dir, { recursive: true, force: true })
        }
      })
    }
  })

  test('the loser takes the authorities of the winner', async () => {
    const shared = store(null, () => {
      shared.held ??= authoritiesOf(a)
      return false
    })
    const pki = await createPki({ ...options, shared })
    expect(authoritiesOf(pki)).toEqual(authoritiesOf(a))
    expect(pki.servingCert).not.toBe(a.servingCert)
  })

  test('an authority that is about to end is renewed once, and the others take it', async () => {
    const shared = store(authoritiesOf(a))
    const later = { ...options, clock: inYears(9.99), shared }
    const first = await createPki(later)
    expect([first.ca === a.ca, first.saPrivateKey]).toEqual([false, a.saPrivateKey])
    expect(shared.held).toEqual(authoritiesOf(first))
    expect((await createPki(later)).ca).toBe(first.ca)
  })

  test('an authority whose key is elsewhere is shared without it, and then issues nothing', async () => {
    const { caKey: _, ...keyless } = a
    const dir = await mkdtemp(join(tmpdir(), 'authorities-'))
    try {
      const path = join(dir, 'one', 'pki')
      await ensurePki({ ...options, dir: join(dir, 'one'), inherited: async () => a })
      // Everything that is issued is there.
      await rm(join(path, 'ca.key'))
      const shared = store()
      await ensurePki({ ...options, dir: join(dir, 'one'), shared })
      expect([shared.held, (await readdir(path)).includes('ca.key')]).toEqual([
        authoritiesOf(keyless),
        false,
      ])
      await expect(ensurePki({ ...options, dir: join(dir, 'two'), shared })).rejects.toThrow(
        'ca.key of the cluster, which is kept as the key, is needed to issue a certificate for orch-apiserver',
      )
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  })

  test('unusable authorities of the cluster: its key is named', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'authorities-'))
    try {
      const shared = store({ ...authoritiesOf(a), ca: 'x' })
      await expect(ensurePki({ ...options, dir, shared })).rejects.toThrow(
        `ca.crt of the cluster, which is kept as the key, holds no certificate; put the right files into ${join(dir, 'pki')} and delete that key`,
      )
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  })
})

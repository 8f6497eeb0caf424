import type { LookupAddress } from 'node:dns'
import { describe, expect, test } from 'vitest'
import { checkProxyable, proxyableLookup } from './target.ts'

const closed = { proxiesToLoopback: false }
const open = { proxiesToLoopback: true }
const OWN = [
  '127.0.0.1',
  '127.255.1.2',
  '0.0.0.0',
  '169.254.169.254',
  '224.0.0.1',
  '239.1.1.1',
  '255.255.255.255',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:127.0.0.1',
  '::ffff:0.0.0.0',
  '::ffff:169.254.169.254',
  'fe80::1',
  'fe80::1%lo',
  '::1%lo',
  'febf::1',
  'ff02::1',
  'ff0e::1',
  'localhost',
  'a.localhost',
]
const OTHERS = ['10.0.0.1', '192.168.1.1', '8.8.8.8', 'fd00::1', '2001:db8::1', 'node-1', '127.1']

describe('addresses that may be connected to', () => {
  for (const host of ['', ...OWN]) {
    test(`not ${JSON.stringify(host)}`, () =>
      expect(() => checkProxyable(closed, host)).toThrow('address not allowed'))
  }
  for (const host of OTHERS) test(host, () => checkProxyable(closed, host))
  for (const host of OWN) test(`${host} where tests listen`, () => checkProxyable(open, host))
})

describe('a look-up for connecting', () => {
  const lookUp = (reach: typeof open, found: readonly string[], all: boolean) => {
    const fake = ((_name: string, _options: object, done: Done) =>
      done(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as unknown as NonNullable<Parameters<typeof proxyableLookup>[1]>
    return new Promise<unknown>((resolve) => {
      proxyableLookup(reach, fake)('name', { all }, (error, address, family) =>
        resolve(error ? error.message : [address, family]),
      )
    })
  }
  type Done = (error: null, addresses: LookupAddress[]) => void
  for (const { name, found, all = true, reach = closed, expected } of [
    {
      name: 'all of several',
      found: ['10.0.0.1', 'fd00::1'],
      expected: [
        [
          { address: '10.0.0.1', family: 4 },
          { address: 'fd00::1', family: 6 },
        ],
        undefined,
      ],
    },
    { name: 'one', found: ['10.0.0.1', 'fd00::1'], all: false, expected: ['10.0.0.1', 4] },
    { name: 'none', found: [], expected: [[], undefined] },
    { name: 'this machine', found: ['127.0.0.1'], expected: 'address not allowed' },
    {
      name: 'this machine among others',
      found: ['10.0.0.1', '::1'],
      expected: 'address not allowed',
    },
    {
      name: 'this machine, of which one is wanted',
      found: ['10.0.0.1', '::1'],
      all: false,
      expected: 'address not allowed',
    },
    {
      name: 'this machine where tests listen',
      found: ['127.0.0.1'],
      reach: open,
      all: false,
      expected: ['127.0.0.1', 4],
    },
  ]) {
    test(name, async () => expect(await lookUp(reach, found, all)).toEqual(expected))
  }
})

import { describe, expect, test } from 'vitest'
import { FieldDecoder } from './field-decoder.ts'
import { ConnectionFault } from './frames.ts'

const bytes = (hex: string) => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex')

function reader() {
  const decoder = new FieldDecoder()
  return (hex: string | Buffer) => {
    const fields: string[] = []
    const block = typeof hex === 'string' ? bytes(hex) : hex
    decoder.decode(block, { field: ({ name, value }) => void fields.push(`${name}: ${value}`) })
    return fields
  }
}

const FIRST = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com']
const SECOND = [...FIRST, 'cache-control: no-cache']
const THIRD = [
  ':method: GET',
  ':scheme: https',
  ':path: /index.html',
  ':authority: www.example.com',
  'custom-key: custom-value',
]
const COOKIE = 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'

describe('examples of RFC 7541, Appendix C', () => {
  for (const { name, blocks } of [
    {
      name: 'C.2.1 literal with indexing',
      blocks: [
        [
          '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572',
          ['custom-key: custom-header'],
        ],
      ],
    },
    {
      name: 'C.2.2 literal without indexing',
      blocks: [['040c 2f73 616d 706c 652f 7061 7468', [':path: /sample/path']]],
    },
    {
      name: 'C.2.3 literal never indexed',
      blocks: [['1008 7061 7373 776f 7264 0673 6563 7265 74', ['password: secret']]],
    },
    { name: 'C.2.4 indexed', blocks: [['82', [':method: GET']]] },
    {
      name: 'C.3 requests without Huffman',
      blocks: [
        ['8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d', FIRST],
        ['8286 84be 5808 6e6f 2d63 6163 6865', SECOND],
        ['8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65', THIRD],
      ],
    },
    {
      name: 'C.4 requests with Huffman',
      blocks: [
        ['8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff', FIRST],
        ['8286 84be 5886 a8eb 1064 9cbf', SECOND],
        ['8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf', THIRD],
      ],
    },
    {
      // The examples have a table of 256 bytes, which a size update in the first block sets here.
      name: 'C.5 answers without Huffman, entries being evicted',
      blocks: [
        [
          '3fe101 4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
          [
            ':status: 302',
            'cache-control: private',
            'date: Mon, 21 Oct 2013 20:13:21 GMT',
            'location: https://www.example.com',
          ],
        ],
        [
          '4803 3330 37c1 c0bf',
          [
            ':status: 307',
            'cache-control: private',
            'date: Mon, 21 Oct 2013 20:13:21 GMT',
            'location: https://www.example.com',
          ],
        ],
        [
          '88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31',
          [
            ':status: 200',
            'cache-control: private',
            'date: Mon, 21 Oct 2013 20:13:22 GMT',
            'location: https://www.example.com',
            'content-encoding: gzip',
            `set-cookie: ${COOKIE}`,
          ],
        ],
      ],
    },
    {
      name: 'C.6 answers with Huffman, entries being evicted',
      blocks: [
        [
          '3fe101 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
          [
            ':status: 302',
            'cache-control: private',
            'date: Mon, 21 Oct 2013 20:13:21 GMT',
            'location: https://www.example.com',
          ],
        ],
        [
          '4883 640e ffc1 c0bf',
          [
            ':status: 307',
            'cache-control: private',
            'date: Mon, 21 Oct 2013 20:13:21 GMT',
            'location: https://www.example.com',
          ],
        ],
        [
          '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
          [
            ':status: 200',
            'cache-control: private',
            'date: Mon, 21 Oct 2013 20:13:22 GMT',
            'location: https://www.example.com',
            'content-encoding: gzip',
            `set-cookie: ${COOKIE}`,
          ],
        ],
      ],
    },
  ] as const) {
    test(name, () => {
      const read = reader()
      for (const [hex, fields] of blocks) expect(read(hex)).toEqual(fields)
    })
  }
})

describe('invalid header blocks', () => {
  for (const { name, hex, is } of [
    { name: 'index zero', hex: '80', is: 'names what is not there' },
    { name: 'an entry of an empty table', hex: 'be', is: 'names what is not there' },
    { name: 'a name of an empty table', hex: '7e0161', is: 'names what is not there' },
    { name: 'a value that is cut off', hex: '00 0161 0562', is: 'is cut off' },
    { name: 'a value that is missing', hex: '00 0161', is: 'is cut off' },
    { name: 'a number that is cut off', hex: '0fff', is: 'is cut off' },
    { name: 'too large a number', hex: '0fffffffffff01', is: 'too large a number' },
    { name: 'a larger table than there is', hex: '3fe21f', is: 'larger table' },
    { name: 'a change of the table behind a field', hex: '8220', is: 'changes the table inside' },
    {
      name: 'an end inside a compressed string',
      hex: '00 84 ffffffff 00',
      is: 'not compressed as',
    },
    { name: 'padding with zeros', hex: '00 8118 00', is: 'not compressed as' },
    { name: 'a full byte of padding', hex: '00 82 1fff 00', is: 'not compressed as' },
  ])
    test(name, () => {
      const fault = (() => {
        try {
          return reader()(hex)
        } catch (error) {
          return error
        }
      })()
      expect(fault).toBeInstanceOf(ConnectionFault)
      expect(fault).toMatchObject({ code: 9, message: expect.stringContaining(is) })
    })
})

test('an entry that is larger than the table empties it', () => {
  const read = reader()
  expect(read('400161 0162')).toEqual(['a: b'])
  const long = Buffer.concat([bytes('400163 7fe91f'), Buffer.alloc(4200, 'x')])
  expect(long.length).toBe(4206)
  expect(read(long)).toEqual([`c: ${'x'.repeat(4200)}`])
  expect(() => read('be')).toThrow('names what is not there')
})

test('indices remain correct after many evictions', () => {
  const read = reader()
  for (let i = 0; i < 1000; i++) {
    const value = Buffer.from(String(i).padStart(4, '0'))
    read(Buffer.concat([bytes('400161 04'), value]))
    const back = Math.min(i, 4096 / 37 - 1) | 0
    const index = 62 + back
    const named = index < 127 ? Buffer.of(0x80 | index) : Buffer.of(0xff, index - 127)
    expect(read(named)).toEqual([`a: ${String(i - back).padStart(4, '0')}`])
  }
})

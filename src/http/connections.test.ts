import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { Connections, type ConnectionsOptions } from './connections.ts'
import { connectionsWithin } from './descriptors.ts'

let ports = 0
class FakeSocket extends EventEmitter {
  readonly remoteAddress: string
  readonly remotePort = (ports += 1)
  destroyed = false
  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }
  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

function start(options: Partial<ConnectionsOptions> = {}) {
  const clock = new ManualClock()
  const lines: unknown[] = []
  const log = { ...silentLog, warn: (text: string, fields?: object) => lines.push([text, fields]) }
  const connections = new Connections({ clock, log, ...options })
  const open = (address = '192.0.2.1') => {
    const socket = new FakeSocket(address)
    const isIn = connections.admit(socket as unknown as Socket)
    return isIn ? (socket as unknown as Socket) : null
  }
  /** Opens a connection and makes a request as a known user. */
  const known = (address?: string) => {
    const socket = open(address)
    if (socket) {
      connections.secured(socket)
      connections.know(socket)
    }
    return socket
  }
  return { clock, lines, connections, open, known }
}

describe('connections of strangers', () => {
  test('are bounded for each address, and known users are not', () => {
    const { connections, open, known } = start({ strangersPerAddress: 3 })
    for (let i = 0; i < 10; i++) expect(known()).not.toBeNull()
    expect([open(), open(), open(), open()].map((one) => one !== null)).toEqual([
      true,
      true,
      true,
      false,
    ])
    expect(open('192.0.2.2')).not.toBeNull()
    expect(connections.counts).toEqual({ open: 14, strangers: 4 })
  })

  test('make room when they end, and become known', () => {
    const { connections, open } = start({ strangersPerAddress: 2 })
    const [first, second] = [open()!, open()!]
    first.destroy()
    expect(open()).not.toBeNull()
    expect(open()).toBeNull()
    connections.secured(second)
    connections.know(second)
    connections.know(second)
    expect(open()).not.toBeNull()
    expect(connections.counts).toEqual({ open: 3, strangers: 2 })
  })

  test('are displaced by newer ones after their grace time', () => {
    const { clock, connections, open } = start({ strangersPerAddress: 2 })
    const [first, second] = [open()!, open()!]
    for (const socket of [first, second]) connections.secured(socket)
    clock.advance(9_999)
    expect(open()).toBeNull()
    clock.advance(1)
    expect(open()).not.toBeNull()
    expect([first.destroyed, second.destroyed]).toEqual([true, false])
  })

  for (const [one, other, isSame] of [
    ['192.0.2.1', '192.0.2.2', false],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:db8::1', '2001:db8:0:0:1::', true],
    ['::1', '::2', true],
  ] as const) {
    test(`${one} and ${other} are ${isSame ? 'one' : 'two'}`, () => {
      const { open } = start({ strangersPerAddress: 1 })
      open(one)
      expect(open(other) === null).toBe(isSame)
    })
  }

  test('end without a TLS handshake', () => {
    const { clock, connections, open } = start()
    const [silent, secured] = [open()!, open()!]
    connections.secured(secured)
    clock.advance(20_000)
    const later = open()!
    clock.advance(13_000)
    expect([silent, secured, later].map(({ destroyed }) => destroyed)).toEqual([true, false, false])
    clock.advance(20_000)
    expect(later.destroyed).toBe(true)
    expect(connections.counts).toEqual({ open: 1, strangers: 1 })
  })

  test('without a TLS handshake end with the server', () => {
    const { connections, open } = start()
    const [silent, secured] = [open()!, open()!]
    connections.secured(secured)
    connections.close()
    connections.close()
    expect([silent.destroyed, secured.destroyed]).toEqual([true, false])
  })
})

describe('all connections', () => {
  test('are bounded: the oldest stranger makes room', () => {
    const { clock, connections, open, known } = start({ most: 4 })
    for (let i = 0; i < 3; i++) known()
    const stranger = open('192.0.2.9')!
    clock.advance(1_000)
    expect(open('192.0.2.8')).not.toBeNull()
    expect(stranger.destroyed).toBe(true)
    expect(connections.counts).toEqual({ open: 4, strangers: 1 })
  })

  test('leave some spare places for short use', () => {
    const { clock, connections, open, known, lines } = start({ most: 4 })
    for (let i = 0; i < 4; i++) expect(known()).not.toBeNull()
    const extra = Array.from({ length: 16 }, () => known()!)
    expect(connections.counts).toEqual({ open: 20, strangers: 16 })
    expect(known()).toBeNull()
    clock.advance(1_000)
    expect(open()).not.toBeNull()
    expect(extra[0]!.destroyed).toBe(true)
    for (const socket of extra) socket.destroy()
    expect(open()).not.toBeNull()
    expect(lines).toEqual([
      ['connections are refused', { why: 'too many', refused: 1, open: 20, strangers: 16 }],
    ])
  })

  test('are logged once a minute when refused', () => {
    const { clock, open, lines } = start({ strangersPerAddress: 0 })
    for (let i = 0; i < 100; i++) open()
    clock.advance(60_000)
    open()
    const line = (refused: number) => [
      'connections are refused',
      { why: 'too many', refused, open: 0, strangers: 0 },
    ]
    expect(lines).toEqual([line(1), line(100)])
  })
})

describe('descriptors', () => {
  for (const { name, text, expected } of [
    { name: 'few', text: 'Max open files            256      256      files', expected: 192 },
    { name: 'many', text: 'Max open files   1048576  1048576  files', expected: 1_047_552 },
    { name: 'hardly any', text: 'Max open files   40   40   files', expected: 16 },
    {
      name: 'no limit',
      text: 'Max open files   unlimited   unlimited   files',
      expected: Infinity,
    },
    { name: 'nothing', text: '', expected: Infinity },
  ])
    test(name, () => expect(connectionsWithin(() => text)).toBe(expected))
  test('without a reported limit', () =>
    expect(
      connectionsWithin(() => {
        throw new Error('ENOENT')
      }),
    ).toBe(Infinity))
})

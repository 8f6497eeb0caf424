/** Packets of konnectivity's ProxyService, by which a proxy carries connections over gRPC. */
import protobuf from 'protobufjs/minimal.js'
import type { Reader as WireReader, Writer as WireWriter } from 'protobufjs/minimal.js'

const { Reader, Writer } = protobuf

/** A packet that a proxy takes. */
export type Question =
  | { readonly is: 'dial'; readonly address: string; readonly random: number }
  | { readonly is: 'data'; readonly connection: number; readonly data: Uint8Array }
  | { readonly is: 'close'; readonly connection: number }
  | { readonly is: 'give up'; readonly random: number }

/** A packet that a proxy sends; the text of an error is empty without one. */
export type Answer =
  | {
      readonly is: 'dialled'
      readonly connection: number
      readonly random: number
      readonly error: string
    }
  | {
      readonly is: 'data'
      readonly connection: number
      readonly data: Uint8Array
      readonly error: string
    }
  | { readonly is: 'closed'; readonly connection: number; readonly error: string }
  | { readonly is: 'given up' }
  | { readonly is: 'other' }

/** Types of packets. */
const TYPE = { dial: 0, dialled: 1, close: 2, closed: 3, data: 4, 'give up': 5 } as const
/** The member of a packet that has what a type is about. */
const MEMBER = { dial: 2, dialled: 3, data: 4, close: 5, closed: 6, 'give up': 7 } as const

const varint = (field: number): number => field << 3
const bytes = (field: number): number => (field << 3) | 2

/** The packet in wire format. */
export function encodePacket(packet: Question): Buffer {
  const writer = Writer.create()
  writer.uint32(varint(1)).int32(TYPE[packet.is])
  writer.uint32(bytes(MEMBER[packet.is])).fork()
  writeMembers(packet, writer)
  return Buffer.from(writer.ldelim().finish())
}

function writeMembers(packet: Question, writer: WireWriter): void {
  switch (packet.is) {
    case 'dial':
      writer.uint32(bytes(1)).string('tcp').uint32(bytes(2)).string(packet.address)
      writer.uint32(varint(3)).int64(packet.random)
      return
    case 'data':
      writer.uint32(varint(1)).int64(packet.connection).uint32(bytes(3)).bytes(packet.data)
      return
    case 'close':
      writer.uint32(varint(1)).int64(packet.connection)
      return
    case 'give up':
      writer.uint32(varint(1)).int64(packet.random)
  }
}

/** The packet of wire format. Throws an Error when it is none. */
export function decodePacket(wire: Uint8Array): Answer {
  const reader = Reader.create(wire)
  let type = 0
  const members = new Map<number, Members>()
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (tag === varint(1)) type = reader.int32()
    else if ((tag & 7) === 2) members.set(tag >>> 3, membersOf(Reader.create(reader.bytes())))
    else reader.skipType(tag & 7)
  }
  const of = (member: number): Members => members.get(member) ?? new Members()
  switch (type) {
    case TYPE.dialled:
      return dialledOf(of(MEMBER.dialled))
    case TYPE.data:
      return dataOf(of(MEMBER.data))
    case TYPE.closed:
      return closedOf(of(MEMBER.closed))
    case TYPE['give up']:
      return { is: 'given up' }
    default:
      return { is: 'other' }
  }
}

const dialledOf = (found: Members): Answer => ({
  is: 'dialled',
  error: found.text(1),
  connection: found.number(2),
  random: found.number(3),
})

const dataOf = (found: Members): Answer => ({
  is: 'data',
  connection: found.number(1),
  error: found.text(2),
  data: found.bytes(3),
})

const closedOf = (found: Members): Answer => ({
  is: 'closed',
  error: found.text(1),
  connection: found.number(2),
})

/** Members of a message, by number. */
class Members {
  readonly numbers = new Map<number, number>()
  readonly strings = new Map<number, Uint8Array>()

  number(field: number): number {
    return this.numbers.get(field) ?? 0
  }

  bytes(field: number): Uint8Array {
    return this.strings.get(field) ?? NOTHING
  }

  text(field: number): string {
    return Buffer.from(this.bytes(field)).toString('utf8')
  }
}

const NOTHING = new Uint8Array()

/** The library's type for 64-bit numbers; larger ones than JavaScript's hold are not counted up to. */
const num = (value: number | { readonly high: number; readonly low: number }): number =>
  typeof value === 'number' ? value : value.high * 2 ** 32 + (value.low >>> 0)

function membersOf(reader: WireReader): Members {
  const found = new Members()
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if ((tag & 7) === 0) found.numbers.set(tag >>> 3, num(reader.int64()))
    else if ((tag & 7) === 2) found.strings.set(tag >>> 3, reader.bytes())
    else reader.skipType(tag & 7)
  }
  return found
}

import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import type { Connection } from './connection.ts'
import { Feed } from './feed.ts'
import type { WatchedChange, WatchResponse } from './messages.ts'

const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

const frameOf = (frame: Partial<WatchResponse>): WatchResponse => ({
  ...{ id: 0, revision: 0, created: false, canceled: false, compacted: 0, reason: '' },
  ...{ fragment: false, changes: [] },
  ...frame,
})

const changesAt = (...revisions: readonly number[]): Partial<WatchResponse> => ({
  changes: revisions.map((changed): WatchedChange => ({
    deleted: false,
    item: {
      ...{ key: `/k${changed}`, value: Buffer.alloc(0), created: changed, changed },
      ...{ version: 1, lease: '0' },
    },
    before: null,
  })),
})

/** A feed with all its inputs and notifications, in order. */
function opened() {
  const told: string[] = []
  const streams: EventEmitter[] = []
  const clock = new ManualClock()
  const watch = () => {
    const stream = Object.assign(new EventEmitter(), { send: () => {}, cancel: () => {} })
    streams.push(stream)
    return { server: 'there', stream }
  }
  let known = 10
  const feed = new Feed({
    connection: { watch, leave: () => {} } as unknown as Connection,
    key: '/',
    end: '0',
    next: () => {
      told.push(`from ${known + 1}`)
      return known + 1
    },
    changes: (changes) => {
      known = changes.at(-1)!.item.changed
      told.push(`changes ${changes.map(({ item }) => item.changed).join()}`)
    },
    progress: (revision) => void told.push(`progress ${revision}`),
    lost: async (compacted) => void told.push(`lost ${compacted}`),
    behind: () => void told.push('behind'),
    clock,
    log: silentLog,
  })
  feed.open()
  const say = (...frames: readonly Partial<WatchResponse>[]) => {
    for (const frame of frames) streams.at(-1)!.emit('data', frameOf(frame))
  }
  return { feed, told, say, clock, stream: () => streams.at(-1)! }
}

describe('changes', () => {
  test('of one tick are handed over together, those of the next separately', async () => {
    const { told, say } = opened()
    say({ created: true, revision: 10 }, changesAt(11), changesAt(12, 12), changesAt(13))
    expect(told).toEqual(['from 11', 'from 11'])
    await yieldToEventLoop()
    say(changesAt(14))
    await yieldToEventLoop()
    expect(told.slice(2)).toEqual(['changes 11,12,12,13', 'changes 14'])
  })

  test('come before the progress that covers them', async () => {
    const { told, say } = opened()
    say(changesAt(11), { revision: 20 }, changesAt(21))
    await yieldToEventLoop()
    expect(told.slice(1)).toEqual(['changes 11', 'progress 20', 'changes 21'])
  })

  test('of a revision in parts wait for the last part', async () => {
    const { told, say } = opened()
    say(changesAt(11), { ...changesAt(12), fragment: true })
    await yieldToEventLoop()
    say(changesAt(12))
    await yieldToEventLoop()
    expect(told.slice(1)).toEqual(['changes 11', 'changes 12,12'])
  })

  test('received before a watch broke are not requested again', async () => {
    const { told, say, clock, stream } = opened()
    say(changesAt(11), changesAt(12))
    stream().emit('error', new Error('broken'))
    clock.advance(100)
    await yieldToEventLoop()
    expect(told.slice(1)).toEqual(['changes 11,12', 'from 13'])
  })

  test('received before others are lost are delivered first', async () => {
    const { told, say } = opened()
    say(changesAt(11), { canceled: true, compacted: 15 })
    await yieldToEventLoop()
    expect(told.slice(1)).toEqual(['changes 11', 'lost 15', 'from 12'])
  })
})

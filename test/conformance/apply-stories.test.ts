/** Server-side apply on objects of several kinds: who owns what after writes of several managers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { ownersOf, write, type Json } from './apply.fixture.ts'
import { KINDS } from './kinds.fixture.ts'
import { parseStep, shownData } from './stories.fixture.ts'

for (const kind of KINDS) {
  describe(kind.title, () => {
    const NS = kind.in('default')
    let server: RunningServer
    let client: Client
    let count = 0
    const nextName = () => `story-${++count}`

    beforeAll(async () => {
      server = await kind.start({ controllers: false })
      client = new Client(server)
    })
    afterAll(async () => {
      client.close()
      await server.close()
    })

    describe('keys of a map', () => {
      for (const { steps, data, owners, refused } of [
        { steps: ['a: x=1'], data: 'x=1', owners: ['a: data.x'] },
        { steps: ['a: x=1 y=2'], data: 'x=1 y=2', owners: ['a: data.x data.y'] },
        { steps: ['a:'], data: '', owners: [] },
        { steps: ['a: x=1', 'a: x=1'], data: 'x=1', owners: ['a: data.x'] },
        { steps: ['a: x=1', 'a: x=2'], data: 'x=2', owners: ['a: data.x'] },
        { steps: ['a: x=1', 'a: y=1'], data: 'y=1', owners: ['a: data.y'] },
        { steps: ['a: x=1', 'a:'], data: '', owners: [] },
        { steps: ['a: x=1', 'b: y=1'], data: 'x=1 y=1', owners: ['a: data.x', 'b: data.y'] },
        { steps: ['a: x=1', 'b: x=1'], data: 'x=1', owners: ['a: data.x', 'b: data.x'] },
        {
          steps: ['a: x=1', 'b: x=2'],
          data: 'x=1',
          owners: ['a: data.x'],
          refused: ['conflict with "a" .data.x'],
        },
        { steps: ['a: x=1', 'b!: x=2'], data: 'x=2', owners: ['b: data.x'] },
        { steps: ['a: x=1 y=1', 'b!: x=2'], data: 'x=2 y=1', owners: ['a: data.y', 'b: data.x'] },
        { steps: ['a: x=1', 'b: x=1', 'a:'], data: 'x=1', owners: ['b: data.x'] },
        { steps: ['a: x=1', 'b: x=1', 'a:', 'b:'], data: '', owners: [] },
        {
          steps: ['a: x=1', 'b: x=1', 'a: x=2'],
          data: 'x=1',
          owners: ['a: data.x', 'b: data.x'],
          refused: ['conflict with "b" .data.x'],
        },
        { steps: ['a: x=1', 'b: x=1', 'a!: x=2'], data: 'x=2', owners: ['a: data.x'] },
        {
          steps: ['a: x=1', 'b: y=1', 'c: x=2 y=2'],
          data: 'x=1 y=1',
          owners: ['a: data.x', 'b: data.y'],
          refused: ['conflict with "a" .data.x', 'conflict with "b" .data.y'],
        },
        {
          steps: ['a: x=1', 'b: y=1', 'c!: x=2 y=2'],
          data: 'x=2 y=2',
          owners: ['c: data.x data.y'],
        },
        { steps: ['a: x=1', 'b~: x=2'], data: 'x=2', owners: ['b~: data.x'] },
        { steps: ['a: x=1', 'b~: x=1'], data: 'x=1', owners: ['a: data.x'] },
        { steps: ['a: x=1', 'b~: y=1'], data: 'x=1 y=1', owners: ['a: data.x', 'b~: data.y'] },
        { steps: ['a: x=1 y=1', 'b~: x='], data: 'y=1', owners: ['a: data.y'] },
        { steps: ['a: x=1', 'b~: x='], data: '', owners: [] },
        {
          steps: ['a: x=1', 'b~: x=2', 'a: x=1'],
          data: 'x=2',
          owners: ['b~: data.x'],
          refused: ['conflict with "b" using VERSION at TIME .data.x'],
        },
        {
          steps: ['a: x=1', 'b~: x=2', 'a: x=2'],
          data: 'x=2',
          owners: ['a: data.x', 'b~: data.x'],
        },
        { steps: ['a: x=1', 'b~: x=2', 'a!: x=1'], data: 'x=1', owners: ['a: data.x'] },
        {
          steps: ['a: x=1', 'b~: x=2', 'a: y=1'],
          data: 'x=2 y=1',
          owners: ['a: data.y', 'b~: data.x'],
        },
        {
          steps: ['a: x=1', 'b~: x=', 'a: x=1'],
          data: 'x=1',
          // The empty map that is left is nobody's when somebody applies again.
          owners: ['a: data.x', ...(kind.keepsEmpty ? ['before-first-apply~: data'] : [])],
        },
        { steps: ['a: x=1', 'a~: x=2'], data: 'x=2', owners: ['a~: data.x'] },
        {
          steps: ['a: x=1', 'a~: x=2', 'a: x=3'],
          data: 'x=2',
          owners: ['a~: data.x'],
          refused: ['conflict with "a" using VERSION at TIME .data.x'],
        },
        { steps: ['a: x=1', 'a~: y=2'], data: 'x=1 y=2', owners: ['a: data.x', 'a~: data.y'] },
        {
          steps: ['a: x=1', 'b~: y=1', 'b~: z=1'],
          data: 'x=1 y=1 z=1',
          owners: ['a: data.x', 'b~: data.y data.z'],
        },
        {
          steps: ['a: x=1', 'b~: y=1', 'c~: y=2'],
          data: 'x=1 y=2',
          owners: ['a: data.x', 'c~: data.y'],
        },
        {
          steps: ['a: x=1', 'b: y=1', 'c~: x=2 y=2'],
          data: 'x=2 y=2',
          owners: ['c~: data.x data.y'],
        },
        { steps: ['a: x=1', 'b: x=1', 'c~: x=2'], data: 'x=2', owners: ['c~: data.x'] },
        {
          steps: ['a: x=1 y=1', 'b: y=1 z=1', 'a: x=1', 'b: z=1'],
          data: 'x=1 z=1',
          owners: ['a: data.x', 'b: data.z'],
        },
        {
          steps: ['a: x=1 y=1', 'b: y=1 z=1', 'a!: x=2 z=2'],
          data: 'x=2 y=1 z=2',
          owners: ['a: data.x data.z', 'b: data.y'],
        },
        {
          steps: ['a: x=1', 'b~: x=2', 'b~: x=1', 'a: x=1'],
          data: 'x=1',
          owners: ['a: data.x', 'b~: data.x'],
        },
        { steps: ['a: x=1', 'b~: x=2', 'a:'], data: 'x=2', owners: ['b~: data.x'] },
        // A kind with a schema refuses null where it is no value.
        ...(kind.needsVersion
          ? []
          : [{ steps: ['a: x=', 'a: y=1'], data: 'y=1', owners: ['a: data.y'] }]),
      ] as {
        steps: string[]
        data: string
        owners: string[]
        refused?: string[]
      }[]) {
        test(steps.join(', '), async () => {
          const name = nextName()
          const { apiVersion } = kind
          const place = { path: NS, apiVersion, kind: kind.kind, name }
          const replies = []
          for (const line of steps) replies.push(await write(client, place, parseStep(line)))
          const last = replies.pop()!
          expect(replies.map(({ status }) => status)).toEqual(
            replies.map((_, i) => (i === 0 ? 201 : 200)),
          )
          if (refused) {
            expect([last.status, last.body.reason]).toEqual([409, 'Conflict'])
            const causes = last.body.details.causes.map((cause: Json) => {
              expect(cause.reason).toBe('FieldManagerConflict')
              return `${cause.message.replace(/using \S+ at \S+/, 'using VERSION at TIME')} ${cause.field}`
            })
            expect(causes).toEqual(refused)
          } else expect(last.status).toBe(replies.length === 0 ? 201 : 200)
          const { body } = await client.get(`${place.path}/${name}`)
          expect([shownData(body.data), ownersOf(body, kind.apiVersion)]).toEqual([data, owners])
        })
      }
    })
  })
}

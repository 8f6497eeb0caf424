import { expect, test } from 'vitest'
import { sharesOf } from './profile-share.ts'

test('time belongs to the nearest owner on the stack', () => {
  const frames = [
    ['(root)', ''],
    ['(idle)', ''],
    ['(garbage collector)', ''],
    ['request', 'file:///x/node_modules/@grpc/grpc-js/client.js'],
    ['writeHeaders', 'node:internal/http2/core'],
    ['decode', 'file:///x/dist/src/chunk.js'],
    ['from', 'node:buffer'],
    ['onread', 'node:net'],
  ] as const
  const children: Readonly<Record<number, number[]>> = { 0: [1, 2, 3, 7], 3: [4, 5], 5: [6] }
  const nodes = frames.map(([functionName, url], id) => ({
    id,
    callFrame: { functionName, url, scriptId: '0', lineNumber: 0, columnNumber: 0 },
    children: children[id] ?? [],
  }))
  const samples = [1, 2, 3, 4, 6, 7]
  const timeDeltas = [900, 10, 20, 20, 40, 10]
  expect(sharesOf({ nodes, startTime: 0, endTime: 1000, samples, timeDeltas })).toEqual({
    grpc: 0.4,
    product: 0.4,
    garbage: 0.1,
    node: 0.1,
  })
})

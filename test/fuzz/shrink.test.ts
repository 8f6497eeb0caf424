/** Requests become smaller as long as they show the same. */
import { expect, test } from 'vitest'
import type { FuzzRequest } from './request.ts'
import { beforeOf } from './report.ts'
import { shrink } from './shrink.ts'

const request: FuzzRequest = {
  identity: 'administrator',
  protocol: 'h1',
  method: 'PUT',
  target: '/a?x=1&y=2&z=3',
  headers: [
    ['accept', 'application/json'],
    ['x-one', '1'],
  ],
  body: Buffer.from('{"a":{"b":[1,{"c":9223372036854775808},3],"d":"e"},"f":null}'),
  raw: null,
  isOpen: false,
  how: '',
}

test('what is not needed is left out, the rest stays as it was written', async () => {
  const smaller = await shrink(request, (one) =>
    Promise.resolve(
      one.target.includes('y=2') &&
        one.body?.includes('9223372036854775808') === true &&
        one.headers.some(([name]) => name === 'x-one'),
    ),
  )
  expect({ ...smaller, body: smaller.body?.toString() }).toEqual({
    ...request,
    target: '/a?y=2',
    headers: [['x-one', '1']],
    body: '{"a":{"b":[{"c":9223372036854775808}]}}',
  })
})

test('bytes of no structure are cut at their end', async () => {
  const raw = Buffer.from('POST / HTTP/1.1\r\nhost: x\r\n\r\nmore and more')
  const smaller = await shrink({ ...request, raw }, (one) =>
    Promise.resolve(one.raw!.includes('host: x')),
  )
  expect(smaller.raw?.toString()).toBe('POST / HTTP/1.1\r\nhost: x')
})

test('tries are counted', async () => {
  let tries = 0
  await shrink(request, () => Promise.resolve(++tries < 0), 7)
  expect(tries).toBe(7)
})

test('what stood there is told so that it can be made again', () => {
  const before = '{"kind":"A","metadata":{"name":"a","uid":"u","resourceVersion":"5"}}'
  const object = Buffer.from('{"kind":"A","metadata":{"name":"a"}}').toString('base64')
  expect(beforeOf({ ...request, target: '/apis/x/v1/as/a/status?b=c' }, before)).toBe(
    `/apis/x/v1/as ${object}`,
  )
  expect(beforeOf({ ...request, target: '/apis' }, before)).toBe(null)
})

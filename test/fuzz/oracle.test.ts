/** What is wrong with an error, and that one to HEAD is judged by the words of the same GET. */
import { expect, test } from 'vitest'
import type { Outcome } from './http1.ts'
import { judge } from './oracle.ts'
import type { FuzzRequest } from './request.ts'

const TOO_LARGE = 'Too large resource version: 9, current: 1'
const NO_USER = 'requested [{UID  1  authentication/v1  }] without impersonating a user'

function answered(status: number, message: string | null): Outcome {
  const told = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status }
  return {
    answer: {
      status,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(message === null ? '' : JSON.stringify(told)),
      isWhole: true,
    },
    fault: null,
    ended: 'answered',
  }
}

interface Case {
  readonly name: string
  readonly request?: Partial<FuzzRequest>
  readonly outcome: Outcome
  /** What the same GET is answered; none when it may not be asked. */
  readonly get?: Outcome | Error
  readonly problems?: readonly string[]
}

const LATE = answered(504, null)
const HEAD: Partial<FuzzRequest> = { method: 'HEAD' }
const cases: readonly Case[] = [
  { name: 'an error with an excuse', outcome: answered(504, TOO_LARGE) },
  { name: 'an error without', outcome: answered(504, 'late'), problems: ['error: 504 late'] },
  {
    name: 'a panic',
    outcome: answered(500, 'This request caused apiserver to panic.'),
    problems: [
      'panic: the answer of a panic',
      'error: 500 This request caused apiserver to panic.',
    ],
  },
  {
    name: 'HEAD, and GET has an excuse',
    request: HEAD,
    outcome: LATE,
    get: answered(504, TOO_LARGE),
  },
  {
    name: 'HEAD of parts of a user, and GET has an excuse',
    request: { ...HEAD, headers: [['impersonate-uid', '1']] },
    outcome: answered(500, null),
    get: answered(500, NO_USER),
  },
  {
    name: 'HEAD, and GET has none',
    request: HEAD,
    outcome: LATE,
    get: answered(504, 'late'),
    problems: ['error: 504 late'],
  },
  {
    name: 'HEAD, and GET is a panic',
    request: HEAD,
    outcome: answered(500, null),
    get: answered(500, 'This request caused apiserver to panic.'),
    problems: [
      'panic: the answer of a panic',
      'error: 500 This request caused apiserver to panic.',
    ],
  },
  {
    name: 'HEAD, and GET is no error',
    request: HEAD,
    outcome: LATE,
    get: answered(200, 'fine'),
    problems: ['error: 504 to HEAD, 200 to GET'],
  },
  {
    name: 'HEAD, and GET is not answered',
    request: HEAD,
    outcome: LATE,
    get: { answer: null, fault: null, ended: 'closed' },
    problems: ['error: 504 '],
  },
  {
    name: 'HEAD, and no connection for GET',
    request: HEAD,
    outcome: LATE,
    get: new Error('refused'),
    problems: ['error: 504 '],
  },
  {
    name: 'HEAD as bytes',
    request: { ...HEAD, raw: Buffer.from('HEAD / HTTP/1.1\r\n\r\n') },
    outcome: LATE,
    get: answered(504, TOO_LARGE),
  },
  {
    name: 'HEAD as broken bytes',
    request: { ...HEAD, raw: Buffer.from('H / HTTP/1.1\r\n\r\n') },
    outcome: LATE,
    problems: ['error: 504 '],
  },
  {
    name: 'HEAD of what is behind a proxy',
    request: { ...HEAD, target: '/api/v1/nodes/n/proxy' },
    outcome: LATE,
  },
  { name: 'HEAD of what is not there', request: HEAD, outcome: answered(404, null) },
]

for (const { name, request: part = {}, outcome, get, problems = [] } of cases) {
  test(name, async () => {
    const request: FuzzRequest = {
      identity: 'administrator',
      protocol: 'h1',
      method: 'GET',
      target: '/api/v1/nodes',
      headers: [],
      body: null,
      raw: null,
      isOpen: false,
      how: '',
      ...part,
    }
    const asked: FuzzRequest[] = []
    const found = await judge(request, outcome, (one) => {
      asked.push(one)
      return get instanceof Error ? Promise.reject(get) : Promise.resolve(get!)
    })
    expect(found.map(({ is, message }) => `${is}: ${message}`)).toEqual(problems)
    const raw =
      request.raw && Buffer.from(request.raw.toString('latin1').replace(/^HEAD /, 'GET '), 'latin1')
    expect(asked).toEqual(get === undefined ? [] : [{ ...request, method: 'GET', raw }])
  })
}

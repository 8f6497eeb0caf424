/** Lines that are put together from kept parts are those that events of their own have. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decision } from '../authz/authorizer.ts'
import { ManualClock } from '../base/clock.ts'
import type { AuditedRequest } from '../http/audit.ts'
import type { AuditAnnotation } from '../http/context.ts'
import { MeasuredParts } from '../http/measured-parts.ts'
import { parseRequest } from '../http/request-info.ts'
import { notFound } from '../meta/errors.ts'
import { silentLog } from '../base/log.ts'
import { kubernetes } from '../vocabulary/kubernetes.ts'
import { AuditTrail } from './audit-trail.ts'
import type { Backend } from './backend.ts'
import { AuditCounters } from './counters.ts'
import type { LineTemplate, LineValues } from './line-template.ts'
import { PolicyRules } from './policy-rules.ts'
import { readPolicy } from './policy.ts'

const user = (name: string, groups: string[], extra = {}) => ({ name, uid: '', groups, extra })
const USERS = [
  user('jane', ['devs']),
  user('jürgen "j"', [], { a: ['b\u2028'] }),
  user('', []),
  user('jane', ['ops']),
]
const TARGETS = [
  '/api/v1/namespaces/a/configmaps/b',
  '/api/v1/namespaces/a/configmaps/b?x=%20"',
  '/api/v1/namespaces/a/secrets',
  '/apis/apps/v1/namespaces/a/deployments/d/status',
  '/version?ä',
  `/api/v1/pods?labelSelector=${'x'.repeat(5000)}`,
]
const WORDS = ['', 'agent', '127.0.0.1', 'ünï', '"\\\n']

const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'DELETE'),
  target: fc.constantFrom(...TARGETS),
  agent: fc.constantFrom(undefined, ...WORDS),
  forwarded: fc.constantFrom(undefined, undefined, undefined, '192.0.2.7, x'),
  remoteAddress: fc.constantFrom('', '127.0.0.1', '::ffff:10.0.0.1', 'agent'),
  user: fc.constantFrom(null, ...USERS),
  impersonated: fc.constantFrom(null, null, null, ...USERS),
  reason: fc.constantFrom(null, ...WORDS, 'RBAC: allowed by "ä"'),
  annotation: fc.constantFrom(null, null, ...WORDS),
  identity: fc.constantFrom(null, null, 'named', 'ö'),
  code: fc.constantFrom(200, 201, 404, 0),
  isFault: fc.constantFrom(false, false, false, true),
  advanceMs: fc.constantFrom(0, 0, 1, 700),
  isOwnId: fc.boolean(),
})
type Sent = typeof request extends fc.Arbitrary<infer T> ? T : never
type Recorded = { -readonly [K in keyof AuditedRequest]: AuditedRequest[K] }

function recordOf(sent: Sent, id: number, now: number): Recorded {
  const { method, target, agent, forwarded } = sent
  const annotations = new Map<string, AuditAnnotation>()
  if (sent.annotation !== null)
    for (const level of ['Metadata', 'Request'] as const)
      annotations.set(`${level}/${sent.annotation}`, { value: sent.annotation, level })
  const [path, query = ''] = target.split('?')
  const info = parseRequest(method, path!, query)
  const named = sent.identity
  const failure = sent.code === 404 ? notFound({ group: '', resource: 'things' }, target) : null
  return {
    method,
    target,
    headers: {
      ...(agent === undefined ? {} : { 'user-agent': agent }),
      ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
    },
    protocol: 'HTTP/1.1',
    remoteAddress: sent.remoteAddress,
    auditId: sent.isOwnId ? `own-${id}` : `12345678-1234-4234-8234-${String(id).padStart(12, '0')}`,
    info,
    isLongRunning: false,
    user: sent.user,
    impersonator: null,
    decision: sent.reason === null ? null : ({ verdict: 'allow', reason: sent.reason } as Decision),
    annotations,
    body: null,
    bodyType: '',
    requestObject: () => null,
    responseObject: () => null,
    status: sent.code,
    bytesWritten: 0,
    isWhole: true,
    failure,
    fault: sent.isFault ? new Error('fault') : null,
    hasFault: sent.isFault,
    outcome: null,
    receivedAt: now,
    startedAt: now,
    endedAt: now + sent.advanceMs,
    identity:
      named === null ? null : { name: named, namespace: 'a', uid: named, resourceVersion: '' },
    audit: null,
    parts: new MeasuredParts(),
  }
}

/** The lines of requests; `isJoined`: put together from kept parts. */
function linesOf(sent: readonly Sent[], isJoined: boolean): string[] {
  const clock = new ManualClock(0)
  const lines: string[] = []
  const backend: Backend = {
    name: 'log',
    mode: 'batch',
    store: (event) => lines.push(event.line) > 0,
    ...(isJoined ? { lines: { store, copy } } : {}),
    close: () => Promise.resolve(),
  }
  function copy(template: LineTemplate, values: LineValues): boolean {
    const bytes = Buffer.alloc(template.bytes.length)
    template.write(bytes, 0, values)
    return lines.push(bytes.toString()) > 0
  }
  function store(line: string, isPlain: boolean): boolean {
    if (isPlain) expect(Buffer.from(line, 'latin1').toString()).toBe(line)
    return lines.push(line) > 0
  }
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    rules: [
      { level: 'None', userGroups: ['ops'] },
      { level: 'Request', resources: [{ group: 'apps' }] },
      { level: 'Metadata' },
    ],
  }
  const trail = new AuditTrail({
    rules: new PolicyRules(readPolicy(policy, kubernetes).policy),
    backends: [backend],
    counters: new AuditCounters(clock, silentLog),
    clock,
    v: kubernetes,
  })
  for (const [id, one] of sent.entries()) {
    clock.advance(one.advanceMs)
    const record = recordOf(one, id, clock.now())
    // Who is impersonated is known after the first event.
    const { identity } = record
    record.identity = null
    void trail.begins(record)
    record.identity = identity
    if (one.impersonated !== null) {
      record.impersonator = record.user
      record.user = one.impersonated
    }
    trail.responseStarted(record)
    if (one.isFault) trail.panic(record)
    else trail.responseComplete(record)
  }
  return lines
}

test('lines are as if each was made on its own', () => {
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 20 }), (sent) => {
      const lines = linesOf(sent, true)
      expect(lines).toEqual(linesOf(sent, false))
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ kind: 'Event' })
    }),
    { numRuns: 300 },
  )
})

test('lines of equal requests differ in ids and times only', () => {
  const [sent] = fc.sample(request, { numRuns: 1, seed: 1 })
  const plain: Sent = {
    ...sent!,
    method: 'GET',
    target: TARGETS[0]!,
    agent: 'agent',
    forwarded: undefined,
    remoteAddress: '127.0.0.1',
    user: USERS[0]!,
    impersonated: null,
    reason: '',
    annotation: null,
    identity: null,
    code: 200,
    isFault: false,
    advanceMs: 1,
    isOwnId: false,
  }
  const lines = linesOf([plain, plain], true)
  expect(lines).toHaveLength(4)
  expect(lines[3]).toBe(
    lines[1]!
      .replace('-000000000000', '-000000000001')
      .replaceAll(/00\.00(\d)000Z/g, (_, ms: string) => `00.00${Number(ms) + 1}000Z`),
  )
})

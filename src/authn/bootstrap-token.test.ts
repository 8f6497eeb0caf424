import { describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { lineLog } from '../base/log.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { recordingContext } from './authentication.fixture.ts'
import { bootstrapToken } from './bootstrap-token.ts'

const TOKEN = 'abcdef.0123456789abcdef'
const GOOD: Record<string, string> = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
}
const encode = (data: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
const secret = (data: Record<string, string> = {}, more: object = {}) => ({
  metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
  type: 'bootstrap.kubernetes.io/token',
  data: encode({ ...GOOD, ...data }),
  ...more,
})
const user = (...extra: string[]) => ({
  user: {
    name: 'system:bootstrap:abcdef',
    uid: '',
    groups: ['system:bootstrappers', ...extra],
    extra: {},
  },
  audiences: null,
})

function made(kept: object | null | Error) {
  const asked: unknown[] = []
  const lines: string[] = []
  const objects: Pick<ObjectSource, 'get'> = {
    get: async (resource, namespace, name) => {
      asked.push({ resource, namespace, name })
      if (kept instanceof Error) throw kept
      return kept as never
    },
  }
  const log = lineLog({ format: 'text', level: 9, now: () => 0, write: (line) => lines.push(line) })
  const clock = new ManualClock(Date.parse('2024-01-02T03:04:05Z'))
  return { asked, lines, it: bootstrapToken({ objects, v: vocabularies.kubernetes, clock, log }) }
}

interface Row {
  readonly name: string
  readonly token?: string
  readonly kept?: object | null
  readonly answer: ReturnType<typeof user> | null
  /** Whether the secret was read. */
  readonly looked?: boolean
}

describe('tokens', () => {
  const rows: readonly Row[] = [
    { name: 'all is well', answer: user() },
    {
      name: 'more groups, sorted and once',
      kept: secret({
        'auth-extra-groups': 'system:bootstrappers:z,system:bootstrappers:a,system:bootstrappers:z',
      }),
      answer: user('system:bootstrappers:a', 'system:bootstrappers:z'),
    },
    { name: 'no such secret', kept: null, answer: null },
    { name: 'another secret part', token: 'abcdef.0123456789abcdee', answer: null },
    { name: 'without a secret part', kept: secret({ 'token-secret': '' }), answer: null },
    { name: 'another id', kept: secret({ 'token-id': 'abcdeg' }), answer: null },
    { name: 'another type', kept: secret({}, { type: 'Opaque' }), answer: null },
    { name: 'no data', kept: secret({}, { data: undefined }), answer: null },
    {
      name: 'being deleted',
      kept: secret({}, { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }),
      answer: null,
    },
    { name: 'expires later', kept: secret({ expiration: '2024-01-02T03:04:06Z' }), answer: user() },
    {
      name: 'expires later elsewhere',
      kept: secret({ expiration: '2024-01-02T05:04:06+02:00' }),
      answer: user(),
    },
    { name: 'expires now', kept: secret({ expiration: '2024-01-02T03:04:05Z' }), answer: null },
    { name: 'no time of expiry', kept: secret({ expiration: 'tomorrow' }), answer: null },
    {
      name: 'for signing only',
      kept: secret({ 'usage-bootstrap-authentication': 'false' }),
      answer: null,
    },
    {
      name: 'use in another case',
      kept: secret({ 'usage-bootstrap-authentication': 'True' }),
      answer: null,
    },
    ...[
      'system:masters',
      'system:bootstrappers',
      'system:bootstrappers:',
      'system:bootstrappers:A',
      'system:bootstrappers:a, system:bootstrappers:b',
      'system:bootstrappers:a,',
      'system:bootstrappers:a-',
      'system:bootstrappers:a\n',
    ].map((groups) => ({
      name: `groups ${JSON.stringify(groups)}`,
      kept: secret({ 'auth-extra-groups': groups }),
      answer: null,
    })),
    ...[
      '',
      'abcdef',
      'ABCDEF.0123456789abcdef',
      'abcdef.0123456789abcde',
      `x${TOKEN}`,
      `${TOKEN}\n`,
      'a/../b.0123456789abcdef',
    ].map((token) => ({
      name: `form ${JSON.stringify(token)}`,
      token,
      answer: null,
      looked: false,
    })),
  ]
  for (const { name, token = TOKEN, kept = secret(), answer, looked = true } of rows) {
    test(name, async () => {
      const { it, asked, lines } = made(kept)
      expect(await it.authenticateToken(token, recordingContext())).toEqual(answer)
      const resource = { group: '', resource: 'secrets' }
      const where = { resource, namespace: 'kube-system', name: 'bootstrap-token-abcdef' }
      expect(asked).toEqual(looked ? [where] : [])
      expect(lines.join('')).not.toContain('0123456789abcde')
    })
  }

  test('a secret that cannot be read is an error', async () => {
    const { it } = made(new Error('gone'))
    await expect(it.authenticateToken(TOKEN, recordingContext())).rejects.toThrow('gone')
  })
})

import { describe, expect, test } from 'vitest'
import { codecOf, Decoding } from '../../codec/codec.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import { TokenRequest, validateTokenRequest } from '../authentication/token-request.ts'
import { tokenReviews } from '../authentication/token-review.ts'
import { problems, read, texts } from '../hooks.fixture.ts'
import { localSubjectAccessReviews } from './local-subject-access-review.ts'
import { selfSubjectAccessReviews } from './self-subject-access-review.ts'
import { selfSubjectRulesReviews } from './self-subject-rules-review.ts'
import { subjectAccessReviews } from './subject-access-review.ts'

const BOTH =
  'Invalid spec.nonResourceAttributes: Invalid value: {"path":"/x"}: cannot be specified in combination with resourceAttributes'
const NEITHER =
  'Invalid spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified'
const NOBODY =
  'Invalid spec.user: Invalid value: "": at least one of user or group must be specified'
const LOCAL =
  'Invalid spec.nonResourceAttributes: Invalid value: {"path":"/x"}: disallowed on this kind of request'

const who = { user: 'u' }
const resourceAttributes = { namespace: 'n', verb: 'get', resource: 'pods' }
const nonResourceAttributes = { path: '/x' }
const here = { namespace: 'n' }

describe('reviews of access', () => {
  const rows: [name: string, spec: object, anybody: string[], local: string[], self: string[]][] = [
    ['a resource', { resourceAttributes }, [], [], []],
    ['a URL', { nonResourceAttributes }, [], [LOCAL], []],
    ['neither', {}, [NEITHER], [NEITHER], [NEITHER]],
    ['both', { resourceAttributes, nonResourceAttributes }, [BOTH], [BOTH, LOCAL], [BOTH]],
    [
      'another namespace',
      { resourceAttributes: { namespace: 'm' } },
      [],
      [
        'Invalid spec.resourceAttributes.namespace: Invalid value: "m": must match metadata.namespace',
      ],
      [],
    ],
  ]
  for (const [name, spec, anybody, local, self] of rows) {
    test(name, () => {
      const asked = { metadata: {}, spec: { ...spec, ...who } }
      expect(problems(subjectAccessReviews, read(subjectAccessReviews, asked))).toEqual(anybody)
      const inside = { metadata: here, spec: { ...spec, groups: ['g'] } }
      expect(problems(localSubjectAccessReviews, read(localSubjectAccessReviews, inside))).toEqual(
        local,
      )
      const own = { metadata: {}, spec }
      expect(problems(selfSubjectAccessReviews, read(selfSubjectAccessReviews, own))).toEqual(self)
    })
  }
  test('nobody', () => {
    const spec = { resourceAttributes }
    const asked = read(subjectAccessReviews, { metadata: {}, spec })
    expect(problems(subjectAccessReviews, asked)).toEqual([NOBODY])
    const inside = read(localSubjectAccessReviews, { metadata: here, spec })
    expect(problems(localSubjectAccessReviews, inside)).toEqual([NOBODY])
  })
  test('metadata is empty but for what the server adds', () => {
    const spec = { resourceAttributes, ...who }
    const metadata = { name: 'a', namespace: 'n', managedFields: [{ manager: 'm' }] }
    const shown = '{"name":"a","namespace":"n","managedFields":[{"manager":"m"}]}'
    const { managedFields } = metadata
    const asked = read(subjectAccessReviews, { metadata, spec })
    expect(problems(subjectAccessReviews, asked)).toEqual([
      `Invalid metadata: Invalid value: ${shown}: must be empty`,
    ])
    const inside = read(localSubjectAccessReviews, { metadata, spec })
    expect(problems(localSubjectAccessReviews, inside)).toEqual([
      `Invalid metadata: Invalid value: ${shown}: must be empty except for namespace`,
    ])
    const own = read(selfSubjectAccessReviews, {
      metadata: { managedFields },
      spec: { resourceAttributes },
    })
    expect(problems(selfSubjectAccessReviews, own)).toEqual([])
  })
})

test('reviews of rules and tokens have no rules of their own', () => {
  expect(problems(selfSubjectRulesReviews, read(selfSubjectRulesReviews, { spec: {} }))).toEqual([])
  expect(problems(tokenReviews, read(tokenReviews, { spec: {} }))).toEqual([])
})

test('reviews are created, and nothing else', () => {
  const all = [
    subjectAccessReviews,
    selfSubjectAccessReviews,
    localSubjectAccessReviews,
    selfSubjectRulesReviews,
    tokenReviews,
  ]
  expect(all.map(({ virtual, without, scope }) => [virtual, without?.length, scope])).toEqual([
    ['subjectAccessReview', 7, 'cluster'],
    ['selfSubjectAccessReview', 7, 'cluster'],
    ['localSubjectAccessReview', 7, 'namespace'],
    ['selfSubjectRulesReview', 7, 'cluster'],
    ['tokenReview', 7, 'cluster'],
  ])
})

describe('requests for tokens', () => {
  const SHORT = 'may not specify a duration less than 10 minutes'
  const LONG = 'may not specify a duration larger than 2^32 seconds'
  const at = 'Invalid spec.expirationSeconds: Invalid value'
  const rows: [seconds: number | undefined, used: number, expected: string[]][] = [
    [undefined, 3600, []],
    [600, 600, []],
    [599, 599, [`${at}: 599: ${SHORT}`]],
    [0, 0, [`${at}: 0: ${SHORT}`]],
    [2 ** 32, 2 ** 32, []],
    [2 ** 32 + 1, 2 ** 32 + 1, [`${at}: 4294967297: ${LONG}`]],
  ]
  for (const [seconds, used, expected] of rows) {
    test(`${seconds} seconds`, () => {
      const given = { spec: seconds === undefined ? {} : { expirationSeconds: seconds } }
      const request = codecOf(TokenRequest.shape).decode(
        given,
        new Decoding(),
      ) as unknown as TokenRequest
      expect(request.spec).toEqual({ audiences: [], expirationSeconds: used })
      const errors = new FieldErrors()
      validateTokenRequest(request, errors)
      expect(texts(errors)).toEqual(expected)
    })
  }
})

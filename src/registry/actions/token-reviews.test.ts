import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failure } from '../../../test/failure.ts'
import type { TokenFinding } from '../tokens.ts'
import { inProcess } from '../../server/in-process.fixture.ts'
import { client } from './actions.fixture.ts'

const PATH = { group: 'authentication.orch.io', resource: 'tokenreviews' }
const user = {
  name: 'system:serviceaccount:ns:robot',
  uid: 'u1',
  groups: ['system:serviceaccounts', 'system:authenticated'],
  extra: { 'authentication.orch.io/pod-name': ['pod'] },
}
const shown = {
  username: 'system:serviceaccount:ns:robot',
  uid: 'u1',
  groups: ['system:serviceaccounts', 'system:authenticated'],
  extra: { 'authentication.orch.io/pod-name': ['pod'] },
}

let server: Awaited<ReturnType<typeof inProcess>>
beforeAll(async () => {
  server = await inProcess()
})
afterAll(() => server.close())

/** Reviews with an authenticator that returns `found`; also returns the arguments of its calls. */
async function review(spec: object, found: TokenFinding | null) {
  const asked: unknown[] = []
  const authenticateToken = async (token: string, audiences: readonly string[]) => {
    asked.push([token, audiences])
    return found
  }
  const { post } = client({ ...server.api, authenticateToken })
  const got = (await post(PATH, { spec })) as { status: unknown; spec?: unknown }
  return { got, asked }
}

describe('status', () => {
  for (const { name, audiences, found, status } of [
    {
      name: 'somebody, for this server',
      found: { user, audiences: ['api'] },
      status: { authenticated: true, user: shown, audiences: ['api'] },
    },
    {
      name: 'somebody, for some of the audiences',
      audiences: ['a', 'b'],
      found: { user, audiences: ['b'] },
      status: { authenticated: true, user: shown, audiences: ['b'] },
    },
    {
      name: 'somebody, where no audience is known of',
      found: { user: { name: 'u', uid: '', groups: [], extra: {} }, audiences: null },
      status: { authenticated: true, user: { username: 'u' } },
    },
    {
      name: 'extra of any name',
      found: {
        user: { ...user, extra: JSON.parse('{"__proto__":["x"]}') },
        audiences: ['api'],
      },
      status: {
        authenticated: true,
        user: { ...shown, extra: JSON.parse('{"__proto__":["x"]}') },
        audiences: ['api'],
      },
    },
    { name: 'nobody', found: null, status: { user: {} } },
    {
      name: 'why not',
      found: { error: '[invalid bearer token, x]' },
      status: { user: {}, error: '[invalid bearer token, x]' },
    },
  ] as readonly {
    name: string
    audiences?: string[]
    found: TokenFinding | null
    status: object
  }[]) {
    test(name, async () => {
      const spec = { token: 't', ...(audiences ? { audiences } : {}) }
      const { got, asked } = await review(spec, found)
      expect(got.status).toStrictEqual(status)
      expect([got.spec, asked]).toEqual([spec, [['t', audiences ?? []]]])
    })
  }
})

for (const { name, confirmed } of [
  { name: 'others', confirmed: ['x'] },
  { name: 'none', confirmed: [] },
  { name: 'nothing about any', confirmed: null },
]) {
  test(`audiences are passed on and ${name} confirmed`, async () => {
    const { got } = await review({ token: 't', audiences: ['a'] }, { user, audiences: confirmed })
    const why = 'error validating audiences'
    expect(got).toEqual(
      failure({
        code: 500,
        reason: 'InternalError',
        message: `Internal error occurred: ${why}`,
        details: { causes: [{ message: why }] },
      }),
    )
  })
}

test('no token', async () => {
  const { got, asked } = await review({ audiences: ['a'] }, null)
  expect(got).toEqual(
    failure({
      code: 400,
      reason: 'BadRequest',
      message: 'token is required for TokenReview in authentication',
    }),
  )
  expect(asked).toEqual([])
})

test('without token authentication the object is returned unchanged', async () => {
  const got = await client(server.api).post(PATH, {
    spec: { token: 't' },
    status: { error: 'mine' },
  })
  expect(got).toMatchObject({ spec: { token: 't' }, status: { error: 'mine' } })
})

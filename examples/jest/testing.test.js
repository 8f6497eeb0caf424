// What time does to tokens, and what the record says of it.
const { useServer } = require('orch/testing')

const server = useServer({ beforeAll, beforeEach, afterAll })

test('a token ends with its time', async () => {
  const client = await server.connect()
  const accounts = client.resource('v1', 'serviceaccounts').in('default')
  const { status } = await accounts
    .sub('token')
    .create('default', { spec: { expirationSeconds: 600 } })
  const review = async () => {
    const reviews = client.resource('authentication.orch.io/v1', 'tokenreviews')
    return (await reviews.create({ spec: { token: status.token } })).status.authenticated
  }
  expect(await review()).toBe(true)
  await server.clock.advance('11m')
  expect(await review()).toBeUndefined()
  expect(server.requests.one({ resource: 'serviceaccounts/token' })).toMatchObject({
    status: 201,
    decision: { allowed: true },
  })
  client.close()
})

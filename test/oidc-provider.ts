/** A real OpenID provider with users of our making, for tests; it is somebody else's program but for its settings. */
import { generateKeyPairSync } from 'node:crypto'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { issue } from '../src/pki/issue.ts'

/** One who can log in. */
export interface ProviderUser {
  /** What the provider knows them by; the claim `sub`. */
  readonly name: string
  readonly email?: string
  readonly emailVerified?: boolean
  readonly groups?: readonly string[]
}

export interface RunningProvider {
  /** URL of the provider. */
  readonly issuer: string
  /** Authority of its certificate, PEM. */
  readonly ca: string
  /** The client that tokens are issued to. */
  readonly clientId: string
  /** Logs a user in with the authorization code flow and gives their ID token. */
  idTokenFor(name: string): Promise<string>
  /** May be called twice. */
  close(): Promise<void>
}

const CLIENT = { id: 'cluster', secret: 'a secret of tests only' }
// Nobody listens there: the code is taken out of the redirect.
const CALLBACK = 'https://client.example/callback'
const HOUR_MS = 3_600_000
const MOST_STEPS = 12

/** Starts a provider on a free port of this machine. */
export async function startProvider(options: {
  readonly users: readonly ProviderUser[]
}): Promise<RunningProvider> {
  const now = Date.now()
  const span = { notBeforeMs: now - HOUR_MS, notAfterMs: now + 24 * HOUR_MS }
  const authority = issue({ subject: { commonName: 'provider-ca' }, use: 'authority', ...span })
  const serving = issue({
    subject: { commonName: 'provider' },
    use: 'server',
    hosts: ['127.0.0.1', 'localhost'],
    issuer: authority,
    ...span,
  })
  const server = createServer({ key: serving.key, cert: serving.cert + authority.cert })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on('request', await providerOf(issuer, options.users))
  return {
    issuer,
    ca: authority.cert,
    clientId: CLIENT.id,
    idTokenFor: (name) => logIn(issuer, authority.cert, name),
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

async function providerOf(
  issuer: string,
  users: readonly ProviderUser[],
): Promise<RequestListener> {
  // The package brings no types; the name is not a literal so that none are looked for.
  const name: string = 'oidc-provider'
  const { Provider } = (await import(name)) as {
    Provider: new (issuer: string, settings: object) => { callback(): RequestListener }
  }
  const signing = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const settings = {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [{ ...signing.export({ format: 'jwk' }), use: 'sig', kid: 'first' }] },
    cookies: { keys: ['a cookie key of tests only'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    // Claims stand in the ID token itself, as providers for clusters are set up.
    conformIdTokenClaims: false,
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
      Grant: 600,
    },
    findAccount: (_: unknown, id: string) => {
      const user = users.find((each) => each.name === id)
      return user && { accountId: id, claims: () => claimsOf(user) }
    },
  }
  return new Provider(issuer, settings).callback()
}

const claimsOf = ({ name, email, emailVerified, groups }: ProviderUser): object => ({
  sub: name,
  ...(email === undefined ? {} : { email }),
  ...(emailVerified === undefined ? {} : { email_verified: emailVerified }),
  ...(groups === undefined ? {} : { groups }),
})

/** Does what a browser and a client do together: log in, consent, follow redirects, change the code for tokens. */
async function logIn(issuer: string, ca: string, name: string): Promise<string> {
  const cookies = new Map<string, string>()
  const query = new URLSearchParams({
    client_id: CLIENT.id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid email groups',
    state: 'some-state',
  })
  const forms = [{ prompt: 'login', login: name, password: 'any' }, { prompt: 'consent' }]
  let step: Step = { method: 'GET', url: `${issuer}/auth?${query}` }
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const answer = await ask(step, ca, cookies)
    const { location } = answer.headers
    if (location?.startsWith(CALLBACK)) {
      const code = new URL(location).searchParams.get('code')
      if (code === null) throw new Error(`the provider refused: ${location}`)
      return exchange(issuer, ca, code)
    }
    if (location !== undefined) {
      step = { method: 'GET', url: new URL(location, issuer).href }
      continue
    }
    const form = forms.shift()
    if (answer.status !== 200 || !form) {
      throw new Error(`${step.url} answered with ${answer.status}: ${answer.body.slice(0, 300)}`)
    }
    step = { method: 'POST', url: step.url, form }
  }
  throw new Error('the provider redirects without end')
}

async function exchange(issuer: string, ca: string, code: string): Promise<string> {
  const basic = [CLIENT.id, CLIENT.secret].map(encodeURIComponent).join(':')
  const { status, body } = await ask(
    {
      method: 'POST',
      url: `${issuer}/token`,
      form: { grant_type: 'authorization_code', code, redirect_uri: CALLBACK },
      headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}` },
    },
    ca,
    new Map(),
  )
  if (status !== 200) throw new Error(`no token: ${status} ${body}`)
  return (JSON.parse(body) as { id_token: string }).id_token
}

interface Step {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

function ask(step: Step, ca: string, cookies: Map<string, string>): Promise<Answer> {
  return new Promise((done, fail) => {
    const headers = {
      cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; '),
      ...(step.form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      ...step.headers,
    }
    const asked = request(
      step.url,
      { method: step.method, ca, headers, agent: false },
      (answer) => {
        for (const line of answer.headers['set-cookie'] ?? []) {
          const [, key, value] = /^([^=]+)=([^;]*)/.exec(line)!
          if (value === '') cookies.delete(key!)
          else cookies.set(key!, value!)
        }
        let body = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => (body += chunk))
        answer.on('end', () => done({ status: answer.statusCode!, headers: answer.headers, body }))
        answer.on('error', fail)
      },
    )
    asked.on('error', fail)
    asked.end(step.form ? new URLSearchParams(step.form).toString() : undefined)
  })
}

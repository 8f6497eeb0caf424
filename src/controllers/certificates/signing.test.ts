import { X509Certificate } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  certificateRequest,
  signingRequest,
  type RequestOptions,
} from '../../../test/certificate-request.ts'
import { openssl } from '../../../test/openssl.ts'
import { formatTime } from '../../base/time.ts'
import { issue } from '../../pki/issue.ts'
import { leafSigner } from '../../pki/leaf-signer.ts'
import { inProcess } from '../../server/in-process.fixture.ts'
import { startControllers, type RunningControllers } from '../index.ts'
import { certificateSigning, type SigningParts } from './signing.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 8760 * HOUR_MS
const KIND = ['certificates.orch.io/v1', 'certificatesigningrequests'] as const
const NODE = '/O=system:nodes/CN=system:node:n1'
const AGENT = ['digital signature', 'key encipherment']

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
/** Certificates of authorities, PEM. */
let authority: string
let other: string
let authorities: SigningParts['authorities']
const start = (durationMs: number) => {
  running = startControllers(context.controllerContext, [
    certificateSigning({ durationMs, authorities }),
  ])
}
beforeEach(async () => {
  context = await inProcess()
  const now = context.clock.now()
  const authorityOf = (commonName: string, endMs: number) =>
    issue({
      subject: { commonName },
      use: 'authority',
      notBeforeMs: now - HOUR_MS,
      notAfterMs: now + endMs,
    })
  const general = authorityOf('general', 10 * YEAR_MS)
  const ending = authorityOf('ending', 24 * HOUR_MS)
  authority = general.cert
  other = ending.cert
  authorities = {
    agentServing: leafSigner(general),
    agentClient: leafSigner(general),
    serverClient: leafSigner(ending),
  }
  start(YEAR_MS)
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

interface Asked extends RequestOptions {
  readonly signerName: string
  readonly usages: readonly string[]
  readonly expirationSeconds?: number
}
/** Creates a request, approves it, and gives its status when the controller is done. */
async function signed({ subject, names, keyType, ...spec }: Asked, decisions = ['Approved']) {
  const made = await certificateRequest({
    subject,
    ...(names === undefined ? {} : { names }),
    ...(keyType === undefined ? {} : { keyType }),
  })
  await context.hand.create(KIND, signingRequest('r', made, spec))
  for (const type of decisions) {
    const conditions = [{ type, status: 'True', reason: 'Test', message: 'm' }]
    await context.hand.patch([...KIND, '', 'r'], { status: { conditions } }, 'approval')
  }
  await running.idle()
  const { status } = await context.hand.get([...KIND, '', 'r'])
  const pem = Buffer.from(status?.certificate ?? '', 'base64').toString('utf8')
  return { conditions: status?.conditions ?? [], pem, key: made.key }
}

describe('certificates', () => {
  for (const { name, asked, lines } of [
    {
      name: 'a client certificate of a node',
      asked: {
        subject: NODE,
        signerName: 'orch.io/orch-apiserver-client-nodeagent',
        usages: ['client auth', ...AGENT],
      },
      lines: [
        'Subject: O = system:nodes, CN = system:node:n1',
        'X509v3 Key Usage: critical|Digital Signature, Key Encipherment',
        'X509v3 Extended Key Usage:|TLS Web Client Authentication',
        'X509v3 Basic Constraints: critical|CA:FALSE',
      ],
    },
    {
      name: 'a serving certificate of a node, with an RSA key',
      asked: {
        subject: NODE,
        names: 'DNS:n1.example,IP:10.0.0.1,IP:fd00::1',
        keyType: 'rsa',
        signerName: 'orch.io/nodeagent-serving',
        usages: ['server auth', ...AGENT],
      },
      lines: [
        'Public Key Algorithm: rsaEncryption',
        'X509v3 Extended Key Usage:|TLS Web Server Authentication',
        'X509v3 Subject Alternative Name:|DNS:n1.example, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1',
      ],
    },
    {
      name: 'a client certificate of anybody',
      asked: {
        subject: '/C=DE/O=a/O=b/CN=first/CN=Jürgen',
        names: 'DNS:d.example,email:a@b.example,URI:spiffe://x/y',
        signerName: 'orch.io/orch-apiserver-client',
        usages: ['client auth'],
      },
      lines: [
        // The last common name is the user.
        'Subject: C = DE, O = a, O = b, CN = J\\C3\\BCrgen',
        'X509v3 Extended Key Usage:|TLS Web Client Authentication',
        'X509v3 Subject Alternative Name:|DNS:d.example, email:a@b.example, URI:spiffe://x/y',
      ],
    },
  ] as { name: string; asked: Asked; lines: string[] }[]) {
    test(name, async () => {
      const { pem, key, conditions } = await signed(asked)
      expect(conditions.map(({ type }: { type: string }) => type)).toEqual(['Approved'])
      const text = await openssl(['x509', '-noout', '-text', '-in', '{pem}'], { pem })
      const flat = text.replace(/ *\n\s+/g, '|')
      for (const line of lines) expect(flat).toContain(line)
      const isOfEnding = asked.signerName === 'orch.io/orch-apiserver-client'
      const ca = isOfEnding ? other : authority
      const time = String(Math.floor(context.clock.now() / 1000))
      const args = ['verify', '-attime', time, '-x509_strict', '-CAfile', '{ca}', '{pem}']
      expect(await openssl(args, { ca, pem })).toMatch(/: OK\n$/)
      const publicKey = ['x509', '-noout', '-pubkey', '-in', '{pem}']
      expect(await openssl(publicKey, { pem })).toBe(
        await openssl(['pkey', '-pubout', '-in', '{key}'], { key }),
      )
    })
  }

  for (const { name, signerName, seconds, fromMs, toMs } of [
    {
      name: 'a year without a wish',
      signerName: 'orch.io/orch-apiserver-client-nodeagent',
      seconds: undefined,
      fromMs: -300_000,
      toMs: YEAR_MS - 300_000,
    },
    {
      name: 'no longer than that',
      signerName: 'orch.io/orch-apiserver-client-nodeagent',
      seconds: 2_000_000_000,
      fromMs: -300_000,
      toMs: YEAR_MS - 300_000,
    },
    {
      name: 'less when that is wanted',
      signerName: 'orch.io/orch-apiserver-client-nodeagent',
      seconds: 8 * 3600,
      fromMs: -300_000,
      toMs: 8 * HOUR_MS - 300_000,
    },
    {
      name: 'short ones for their whole time',
      signerName: 'orch.io/orch-apiserver-client-nodeagent',
      seconds: 3600,
      fromMs: -300_000,
      toMs: HOUR_MS,
    },
    {
      name: 'no longer than the authority',
      signerName: 'orch.io/orch-apiserver-client',
      seconds: undefined,
      fromMs: -300_000,
      toMs: 24 * HOUR_MS,
    },
  ]) {
    test(`last ${name}`, async () => {
      const { pem } = await signed({
        subject: NODE,
        signerName,
        usages: ['client auth', ...AGENT],
        ...(seconds === undefined ? {} : { expirationSeconds: seconds }),
      })
      const { validFrom, validTo } = new X509Certificate(pem)
      const now = context.clock.now()
      expect([Date.parse(validFrom) - now, Date.parse(validTo) - now]).toEqual([fromMs, toMs])
    })
  }

  test('last no longer than the limit, however short that is', async () => {
    await running.stop()
    start(300_000)
    const { pem } = await signed({
      subject: NODE,
      signerName: 'orch.io/orch-apiserver-client-nodeagent',
      usages: ['client auth', ...AGENT],
      expirationSeconds: 600,
    })
    expect(Date.parse(new X509Certificate(pem).validTo) - context.clock.now()).toBe(300_000)
  })

  test('are not signed by an authority that has ended', async () => {
    context.clock.advance(25 * HOUR_MS)
    const { pem, conditions } = await signed({
      subject: NODE,
      signerName: 'orch.io/orch-apiserver-client',
      usages: ['client auth'],
    })
    expect([pem, conditions.length]).toEqual(['', 1])
  })
})

describe('requests that break the rules of their signer fail', () => {
  const CLIENT = {
    signerName: 'orch.io/orch-apiserver-client-nodeagent',
    usages: ['client auth', ...AGENT],
  }
  const SERVING = { signerName: 'orch.io/nodeagent-serving', usages: ['server auth', ...AGENT] }
  const ANY = { signerName: 'orch.io/orch-apiserver-client', usages: ['client auth'] }
  const GROUP = 'subject organization is not system:nodes'
  const NAME = 'subject common name does not begin with system:node:'
  const rows: readonly { asked: Asked; message: string }[] = [
    { asked: { ...CLIENT, subject: '/CN=system:node:n1' }, message: GROUP },
    { asked: { ...CLIENT, subject: `/O=x${NODE}` }, message: GROUP },
    { asked: { ...CLIENT, subject: '/O=system:nodes/CN=n1' }, message: NAME },
    {
      asked: { ...CLIENT, subject: NODE, names: 'DNS:a' },
      message: 'DNS subjectAltNames are not allowed',
    },
    {
      asked: { ...CLIENT, subject: NODE, names: 'email:a@b' },
      message: 'Email subjectAltNames are not allowed',
    },
    {
      asked: { ...CLIENT, subject: NODE, names: 'IP:1.2.3.4' },
      message: 'IP subjectAltNames are not allowed',
    },
    {
      asked: { ...CLIENT, subject: NODE, names: 'URI:a://b' },
      message: 'URI subjectAltNames are not allowed',
    },
    {
      asked: { ...CLIENT, subject: NODE, usages: ['client auth', 'digital signature'] },
      message: 'usages did not match [client auth digital signature key encipherment]',
    },
    {
      asked: { ...CLIENT, subject: NODE, usages: [...CLIENT.usages, 'server auth'] },
      message: 'usages did not match [client auth digital signature key encipherment]',
    },
    { asked: { ...SERVING, subject: '/CN=system:node:n1', names: 'DNS:a' }, message: GROUP },
    {
      asked: { ...SERVING, subject: NODE },
      message: 'DNS or IP subjectAltName is required',
    },
    {
      asked: { ...SERVING, subject: NODE, names: 'DNS:a,email:a@b' },
      message: 'Email subjectAltNames are not allowed',
    },
    {
      asked: { ...SERVING, subject: NODE, names: 'DNS:a,URI:a://b' },
      message: 'URI subjectAltNames are not allowed',
    },
    {
      asked: { ...SERVING, subject: NODE, names: 'DNS:a', usages: ['server auth'] },
      message: 'usages did not match [digital signature key encipherment server auth]',
    },
    { asked: { ...SERVING, subject: '/O=system:nodes/CN=x', names: 'DNS:a' }, message: NAME },
    {
      asked: { ...ANY, subject: '/CN=x', usages: ['client auth', 'server auth'] },
      message: 'invalid usage for client certificate: server auth',
    },
  ]
  for (const { asked, message } of rows) {
    const { signerName, subject, names = '', usages } = asked
    test(`${signerName} ${subject} ${names} ${usages.join()}`, async () => {
      const { conditions, pem } = await signed(asked)
      expect(pem).toBe('')
      expect(conditions[1]).toEqual({
        type: 'Failed',
        status: 'True',
        reason: 'SignerValidationFailure',
        message,
        lastUpdateTime: formatTime(context.clock.now()),
        lastTransitionTime: formatTime(context.clock.now()),
      })
    })
  }
})

describe('other requests wait', () => {
  const asked = { subject: '/CN=x', usages: ['client auth'] }
  for (const { name, signerName, decisions } of [
    { name: 'undecided', signerName: 'orch.io/orch-apiserver-client', decisions: [] },
    { name: 'denied', signerName: 'orch.io/orch-apiserver-client', decisions: ['Denied'] },
    { name: 'to another signer', signerName: 'example.com/signer', decisions: ['Approved'] },
  ]) {
    test(name, async () => {
      const { pem, conditions } = await signed({ ...asked, signerName }, decisions)
      expect([pem, conditions.length]).toEqual(['', decisions.length])
    })
  }
})

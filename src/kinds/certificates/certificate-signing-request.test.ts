import { describe, expect, test } from 'vitest'
import type { HookContext } from '../../catalogue/resource.ts'
import { c, cells, partProblems, problems, read } from '../hooks.fixture.ts'
import { partOf } from '../parts.fixture.ts'
import {
  type CertificateSigningRequest,
  certificateSigningRequests as requests,
} from './certificate-signing-request.ts'
import { base64, certificate, ecRequest, rsaRequest } from './certificates.fixture.ts'

const spec = {
  request: base64(ecRequest),
  signerName: 'example.com/signer',
  usages: ['client auth'],
}
const requestOf = (given: object = {}, status: object = {}): CertificateSigningRequest =>
  read(requests, { spec: { ...spec, ...given }, status })

const usages =
  'supported values: "any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping"'
const LEGACY = 'orch.io/legacy-unknown'
const REFUSED = `Invalid spec.signerName: Invalid value: "${LEGACY}": the legacy signerName is not allowed via this API version`

describe('the spec', () => {
  const rows: [name: string, given: object, expected: string[]][] = [
    ['fine', {}, []],
    ['ten minutes', { expirationSeconds: 600 }, []],
    [
      'less than that',
      { expirationSeconds: 599 },
      [
        'Invalid spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)',
      ],
    ],
    [
      'no request',
      { request: '' },
      ['Invalid spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST'],
    ],
    [
      'no usages',
      { usages: [] },
      ['Required spec.usages: Required value: usages must be provided'],
    ],
    [
      'wrong usages',
      { usages: ['any', 'some', 'any'] },
      [
        `NotSupported spec.usages[1]: Unsupported value: "some": ${usages}`,
        'Duplicate spec.usages[2]: Duplicate value: "any"',
      ],
    ],
    [
      'no signer',
      { signerName: '' },
      ['Required spec.signerName: Required value: signerName must be provided'],
    ],
    ['the old signer', { signerName: LEGACY }, [REFUSED]],
    ['the signer of clients', { signerName: 'orch.io/orch-apiserver-client' }, []],
    [
      'the signer of clients for something else',
      { signerName: 'orch.io/orch-apiserver-client', usages: ['any'] },
      [
        'Invalid spec.usages: Invalid value: ["any"]: must contain "client auth" for signer orch.io/orch-apiserver-client',
      ],
    ],
  ]
  for (const [name, given, expected] of rows) {
    test(name, () => expect(problems(requests, requestOf(given))).toEqual(expected))
  }
})

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const FORM = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
const SHORT = 'should be a domain with at least two segments separated by dots'
const longPath = Array.from({ length: 80 }, () => 'abc').join('.')
const longDomain = `${'a.'.repeat(127)}b`

describe('names of signers', () => {
  const is = (value: string, why: string) =>
    `Invalid spec.signerName: Invalid value: "${value}": ${why}`
  const long = (max: number) => `TooLong spec.signerName: Too long: must have at most ${max} bytes`
  const rows: [name: string, expected: string[]][] = [
    ['a.b/c.d', []],
    ['a.b', [is('a.b', FORM)]],
    ['a.b/c/d', [is('a.b/c/d', FORM)]],
    ['a/b', [is('a', SHORT)]],
    ['A.B/c', [is('A.B', `validating label "A": ${LABEL}`)]],
    ['a.b/C', [is('C', `validating label "C": ${SUBDOMAIN}`)]],
    [`a.b/${longPath}`, [long(317)]],
    [`${longDomain}/c`, [long(253)]],
    [`${longDomain}/${longPath}`, [long(253), long(571)]],
  ]
  for (const [name, expected] of rows) {
    test(name.length < 20 ? name : `${name.length} characters`, () => {
      expect(problems(requests, requestOf({ signerName: name }))).toEqual(expected)
    })
  }
})

describe('a create', () => {
  const own = { username: 'a', uid: 'b', groups: ['c'], extra: { d: ['e'] } }
  const rows: [name: string, user: HookContext['user'], expected: object][] = [
    ['by nobody', undefined, spec],
    [
      'by somebody',
      { name: 'u', uid: '1', groups: ['g'], extra: { k: ['v'] } },
      { ...spec, username: 'u', uid: '1', groups: ['g'], extra: { k: ['v'] } },
    ],
    [
      'by somebody of whom little is known',
      { name: 'u', uid: '', groups: [], extra: {} },
      { ...spec, username: 'u' },
    ],
  ]
  for (const [name, user, expected] of rows) {
    test(name, () => {
      const made = requestOf(own, { certificate: base64(certificate) })
      requests.prepareForCreate!(made, user ? { ...c, user } : c)
      expect(made.spec).toEqual(expected)
      expect(made.status).toEqual({})
    })
  }
})

const approved = { type: 'Approved', status: 'True' }
const denied = { type: 'Denied', status: 'True' }
const stamped = <T extends object>(condition: T) => ({
  ...condition,
  lastUpdateTime: '2030-01-01T00:00:00Z',
  lastTransitionTime: '2030-01-01T00:00:00Z',
})
const at = 'status.conditions'
const NO_CERTIFICATE =
  'Forbidden status.certificate: Forbidden: updates may not set certificate content'

describe('an update of the whole', () => {
  test('changes nothing but metadata', () => {
    const next = requestOf({ request: base64(rsaRequest), username: 'u' })
    expect(problems(requests, next, { old: requestOf() })).toEqual([])
    expect(next.spec).toEqual(spec)
  })
  test('what is stored and wrong may stay', () => {
    const old = requestOf(
      { signerName: LEGACY, usages: ['some', 'some'], request: 'AAAA' },
      {
        conditions: [approved, denied, approved, { type: '', status: 'True' }],
        certificate: 'AAAA',
      },
    )
    expect(problems(requests, structuredClone(old), { old })).toEqual([])
    expect(problems(requests, structuredClone(old))).toEqual([
      'Invalid spec.request: Invalid value: "AAAA": PEM block type must be CERTIFICATE REQUEST',
      `NotSupported spec.usages[0]: Unsupported value: "some": ${usages}`,
      `NotSupported spec.usages[1]: Unsupported value: "some": ${usages}`,
      'Duplicate spec.usages[1]: Duplicate value: "some"',
      REFUSED,
      `Invalid ${at}[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive`,
      `Invalid ${at}[2].type: Invalid value: "Approved": Approved and Denied conditions are mutually exclusive`,
      `Duplicate ${at}[2].type: Duplicate value: "Approved"`,
      `Required ${at}[3].type: Required value`,
      'Invalid status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
    ])
  })
})

describe('an update of the decision', () => {
  const rows: [name: string, old: object, next: object, expected: string[]][] = [
    ['it is approved', {}, { conditions: [approved] }, []],
    ['another condition', {}, { conditions: [{ type: 'Other', status: 'Unknown' }] }, []],
    [
      'it is approved and denied',
      {},
      { conditions: [approved, denied] },
      [
        `Invalid ${at}[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive`,
      ],
    ],
    [
      'conditions with all that can be wrong',
      {},
      {
        conditions: [
          {},
          { type: 'Failed', status: 'False' },
          { type: 'Other', status: 'Some' },
          { type: 'Other', status: 'True' },
        ],
      },
      [
        `Required ${at}[0].type: Required value`,
        `Required ${at}[0].status: Required value`,
        `NotSupported ${at}[1].status: Unsupported value: "False": supported values: "True"`,
        `NotSupported ${at}[2].status: Unsupported value: "Some": supported values: "False", "True", "Unknown"`,
        `Duplicate ${at}[3].type: Duplicate value: "Other"`,
      ],
    ],
    [
      'decisions are taken back',
      {
        conditions: [
          approved,
          { type: 'Failed', status: 'True' },
          { type: 'Other', status: 'True' },
        ],
      },
      {},
      [
        `Forbidden ${at}: Forbidden: updates may not remove a condition of type "Approved"`,
        `Forbidden ${at}: Forbidden: updates may not remove a condition of type "Failed"`,
      ],
    ],
    ['a certificate', {}, { certificate: base64(certificate) }, [NO_CERTIFICATE]],
  ]
  for (const [name, old, next, expected] of rows) {
    test(name, () => {
      const approval = partOf(requests, 'approval')
      const wrong = partProblems(approval, requestOf({}, next), requestOf({}, old))
      expect(wrong).toEqual(expected)
    })
  }
})

describe('times of conditions', () => {
  const now = '2030-01-01T01:00:00Z'
  const rows: [name: string, old: object[], next: object, expected: object][] = [
    ['are filled', [], approved, { ...approved, lastUpdateTime: now, lastTransitionTime: now }],
    ['stay when they are given', [], stamped(approved), stamped(approved)],
    [
      'stay while the status does',
      [stamped({ type: 'Other', status: 'True' })],
      { type: 'Other', status: 'True' },
      {
        type: 'Other',
        status: 'True',
        lastUpdateTime: now,
        lastTransitionTime: '2030-01-01T00:00:00Z',
      },
    ],
    [
      'change with the status',
      [stamped({ type: 'Other', status: 'True' })],
      { type: 'Other', status: 'False' },
      { type: 'Other', status: 'False', lastUpdateTime: now, lastTransitionTime: now },
    ],
  ]
  for (const [name, old, next, expected] of rows) {
    test(name, () => {
      const made = requestOf({}, { conditions: [next] })
      partOf(requests, 'approval').prepareForUpdate!(made, requestOf({}, { conditions: old }), c)
      expect(made.status.conditions).toEqual([expected])
    })
  }
})

describe('an update of the status', () => {
  const signed = { certificate: base64(certificate) }
  const status = partOf(requests, 'status')
  const rows: [name: string, old: object, next: object, expected: string[]][] = [
    ['it is signed', {}, signed, []],
    ['it failed', {}, { conditions: [{ type: 'Failed', status: 'True' }] }, []],
    [
      'it is approved',
      {},
      { conditions: [approved] },
      [`Forbidden ${at}: Forbidden: updates may not add a condition of type "Approved"`],
    ],
    [
      'the decision is taken back',
      { conditions: [stamped(denied)] },
      {},
      [`Forbidden ${at}: Forbidden: updates may not remove a condition of type "Denied"`],
    ],
    [
      'the certificate changes',
      signed,
      { certificate: base64(certificate + certificate) },
      [
        'Forbidden status.certificate: Forbidden: updates may not modify existing certificate content',
      ],
    ],
    [
      'no certificate',
      {},
      { certificate: 'AAAA' },
      [
        'Invalid status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
      ],
    ],
  ]
  for (const [name, old, next, expected] of rows) {
    test(name, () => {
      expect(partProblems(status, requestOf({}, next), requestOf({}, old))).toEqual(expected)
    })
  }
  test('decisions are put back as they were', () => {
    const decision = stamped({ ...approved, reason: 'r' })
    const next = requestOf(
      {},
      { ...signed, conditions: [stamped({ type: 'Other', status: 'True' }), approved] },
    )
    const old = requestOf({}, { conditions: [decision] })
    expect(partProblems(status, next, old)).toEqual([])
    expect(next.status.conditions).toEqual([stamped({ type: 'Other', status: 'True' }), decision])
  })
})

describe('the table', () => {
  const rows: [name: string, given: object, status: object, expected: unknown[]][] = [
    ['new', {}, {}, ['example.com/signer', '', '<none>', 'Pending']],
    [
      'approved and signed',
      { username: 'u', expirationSeconds: 3600 },
      { conditions: [approved], certificate: 'AAAA' },
      ['example.com/signer', 'u', '60m', 'Approved,Issued'],
    ],
    [
      'approved, denied and failed',
      { signerName: '' },
      { conditions: [approved, denied, { type: 'Failed', status: 'True' }] },
      ['<none>', '', '<none>', 'Denied,Failed'],
    ],
  ]
  for (const [name, given, status, expected] of rows) {
    test(name, () => {
      const row = cells(requests, requestOf(given, status))
      expect(row).toEqual(['x', '<unknown>', ...expected])
    })
  }
})

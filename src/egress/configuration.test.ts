import { describe, expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { readEgressConfiguration } from './configuration.ts'

const v = vocabularies.kubernetes
const files = { exists: (path: string) => path.startsWith('/there/') }
const TLS = { caBundle: '/there/ca', clientKey: '/there/key', clientCert: '/there/cert' }
const HTTP = { tcp: { url: 'http://proxy:3128' } }
const HTTPS = { tcp: { url: 'https://proxy:3128', tlsConfig: TLS } }
const UDS = { uds: { udsName: '/run/proxy.sock' } }

const file = (egressSelections: unknown, more: object = {}) => ({
  apiVersion: 'apiserver.k8s.io/v1beta1',
  kind: 'EgressSelectorConfiguration',
  egressSelections,
  ...more,
})
const one = (proxyProtocol: unknown, transport?: unknown, name: unknown = 'cluster') => ({
  name,
  connection: { proxyProtocol, ...(transport === undefined ? {} : { transport }) },
})

describe('what is in force', () => {
  for (const [name, document, selections] of [
    ['nothing', file([]), []],
    ['no list', file(undefined), []],
    ['direct', file([one('Direct')]), []],
    [
      'each network, by each way',
      file([
        one('HTTPConnect', HTTP, 'Cluster'),
        one('HTTPConnect', HTTPS, 'etcd'),
        one('GRPC', UDS, 'controlplane'),
      ]),
      [
        {
          network: 'cluster',
          protocol: 'HTTPConnect',
          place: { url: new URL('http://proxy:3128'), tls: null },
        },
        {
          network: 'etcd',
          protocol: 'HTTPConnect',
          place: { url: new URL('https://proxy:3128'), tls: TLS },
        },
        { network: 'controlplane', protocol: 'GRPC', place: { udsName: '/run/proxy.sock' } },
      ],
    ],
    [
      'the former name, in the older version',
      file([one('HTTPConnect', UDS, 'master')], { apiVersion: 'apiserver.k8s.io/v1alpha1' }),
      [
        {
          network: 'controlplane',
          protocol: 'HTTPConnect',
          place: { udsName: '/run/proxy.sock' },
        },
      ],
    ],
  ] as const) {
    test(name, () => expect(readEgressConfiguration(document, v, files)).toEqual(selections))
  }

  test('in the other vocabulary', () => {
    const document = file([], { apiVersion: 'apiserver.orch.io/v1beta1' })
    expect(readEgressConfiguration(document, vocabularies.orch, files)).toEqual([])
    expect(() => readEgressConfiguration(document, v, files)).toThrow(
      'no kind "EgressSelectorConfiguration" is registered for version "apiserver.orch.io/v1beta1"',
    )
  })
})

const AT = 'egressSelections[0].connection'

describe('what is refused', () => {
  for (const [name, document, message] of [
    ['a text', 'a', 'expected an EgressSelectorConfiguration'],
    [
      'another kind',
      file([], { kind: 'TracingConfiguration' }),
      'no kind "TracingConfiguration" is registered for version "apiserver.k8s.io/v1beta1"',
    ],
    [
      'another version',
      file([], { apiVersion: 'apiserver.k8s.io/v1' }),
      'no kind "EgressSelectorConfiguration" is registered for version "apiserver.k8s.io/v1"',
    ],
    [
      'unknown members, everywhere',
      file(
        [
          {
            ...one('HTTPConnect', { tcp: { url: '', b: 1, tlsConfig: { d: 1 } }, uds: { e: 1 } }),
            f: 1,
          },
          { name: 'etcd', connection: { proxyProtocol: 'Direct', c: 1 } },
        ],
        { a: 1 },
      ),
      `strict decoding error: unknown field "a", unknown field "egressSelections[0].f", unknown field "${AT}.transport.tcp.b", unknown field "${AT}.transport.tcp.tlsConfig.d", unknown field "${AT}.transport.uds.e", unknown field "egressSelections[1].connection.c"`,
    ],
    ['no list', file({}), 'egressSelections: must be a list'],
    ['no object', file(['a']), 'egressSelections[0]: must be an object'],
    ['no text', file([one(1)]), `${AT}.proxyProtocol: must be a string`],
    [
      'names that are unknown, missing and given twice',
      file([
        one('Direct', undefined, 'nodes'),
        { connection: { proxyProtocol: 'Direct' } },
        one('Direct', undefined, 'master'),
        one('Direct', undefined, 'ControlPlane'),
      ]),
      '[egressSelections[0].name: Unsupported value: "nodes": supported values: "cluster", "controlplane", "etcd", egressSelections[1].name: Unsupported value: "": supported values: "cluster", "controlplane", "etcd", egressSelections[3].name: Duplicate value: "controlplane"]',
    ],
    [
      'an unknown protocol',
      file([one('http')]),
      `${AT}.proxyProtocol: Unsupported value: "http": supported values: "Direct", "HTTPConnect", "GRPC"`,
    ],
    [
      'a transport of a direct connection',
      file([one('Direct', {})]),
      `${AT}.transport: Invalid value: "direct": config must be absent for direct connect`,
    ],
    [
      'no transport',
      file([one('HTTPConnect'), one('GRPC', null, 'etcd')]),
      `[${AT}.transport: Required value: transport must be set for HTTPConnect, egressSelections[1].connection.transport: Required value: transport must be set for GRPC]`,
    ],
    [
      'an empty transport',
      file([one('HTTPConnect', {}), one('GRPC', {}, 'etcd')]),
      `[${AT}.transport.tcp: Required value: One of TCP or UDS must be set, egressSelections[1].connection.transport.uds: Required value: UDS must be set with GRPC]`,
    ],
    [
      'two transports',
      file([one('HTTPConnect', { ...HTTP, ...UDS })]),
      `${AT}.transport.tcp: Invalid value: "tcp": TCP and UDS cannot both be set`,
    ],
    [
      'GRPC over TCP',
      file([one('GRPC', HTTPS)]),
      `${AT}.transport.uds: Required value: UDS must be set with GRPC`,
    ],
    [
      'a socket without a name',
      file([one('GRPC', { uds: {} })]),
      `${AT}.transport.uds.udsName: Invalid value: "nil": must be present for UDS connections`,
    ],
    [
      'another scheme, with a password',
      file([one('HTTPConnect', { tcp: { url: 'socks5://me:secret@proxy' } })]),
      `${AT}.transport.tcp.url: Invalid value: "socks5://proxy": supported connection protocols are http:// and https://`,
    ],
    [
      'no host',
      file([one('HTTPConnect', { tcp: { url: 'http://me:secret@' } })]),
      `${AT}.transport.tcp.url: Invalid value: "http://": must be the URL of a host`,
    ],
    [
      'http with certificates',
      file([one('HTTPConnect', { tcp: { url: 'http://proxy', tlsConfig: TLS } })]),
      `${AT}.transport.tcp.tlsConfig: Invalid value: "nil": config must not be present when using HTTP`,
    ],
    [
      'https without certificates',
      file([
        one('HTTPConnect', { tcp: { url: 'https://proxy' } }),
        one('HTTPConnect', { tcp: { url: 'https://proxy', tlsConfig: {} } }, 'etcd'),
      ]),
      `[${AT}.transport.tcp.tlsConfig: Required value: TLSConfig must be present when using HTTPS, egressSelections[1].connection.transport.tcp.tlsConfig.clientCert: Invalid value: "nil": Using TLS requires clientCert, egressSelections[1].connection.transport.tcp.tlsConfig.clientKey: Invalid value: "nil": Using TLS requires clientKey]`,
    ],
    [
      'files that do not exist',
      file([
        one('HTTPConnect', {
          tcp: {
            url: 'https://proxy',
            tlsConfig: { caBundle: '/a', clientKey: '/b', clientCert: '/c' },
          },
        }),
      ]),
      `[${AT}.transport.tcp.tlsConfig.caBundle: Invalid value: "/a": TLS config ca bundle does not exist, ${AT}.transport.tcp.tlsConfig.clientCert: Invalid value: "/c": TLS client cert does not exist, ${AT}.transport.tcp.tlsConfig.clientKey: Invalid value: "/b": TLS client key does not exist]`,
    ],
  ] as const) {
    test(name, () => {
      expect(() => readEgressConfiguration(document, v, files)).toThrow(new Error(message))
    })
  }
})

import { describe, expect, test } from 'vitest'
import { FieldErrors } from '../../meta/field-errors.ts'
import { ingresses } from './ingress.ts'
import { c, cells, problems, read, texts } from './networking.fixture.ts'

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const RANGE = 'must be between 1 and 65535, inclusive'
const backend = { service: { name: 's', port: { number: 80 } } }
const ingress = (spec: object, rest: object = {}) => read(ingresses, { spec, ...rest })
const to = (defaultBackend: object) => ({ defaultBackend })
const paths = (...list: object[]) => ({
  rules: [{ http: { paths: list.map((path) => ({ backend, ...path })) } }],
})
const exact = (path: string) => paths({ path, pathType: 'Exact' })
const path0 = 'spec.rules[0].http.paths[0]'
const at0 = (path: string, why: string) => `${path0}.path: Invalid value: "${path}": ${why}`

describe('an ingress by itself', () => {
  for (const [name, spec, want] of [
    ['a default', to(backend), []],
    [
      'nothing',
      {},
      ['spec: Invalid value: "null": either `defaultBackend` or `rules` must be specified'],
    ],
    [
      'both backends',
      to({ ...backend, resource: { kind: 'K', name: 'n' } }),
      ['spec.defaultBackend: Invalid value: "": cannot set both resource and service backends'],
    ],
    [
      'no backend',
      to({}),
      ['spec.defaultBackend: Invalid value: "": resource or service backend is required'],
    ],
    [
      'a resource',
      to({ resource: { apiGroup: 'A', kind: '', name: 'a/b' } }),
      [
        `spec.defaultBackend.resource.apiGroup: Invalid value: "A": ${SUBDOMAIN}`,
        'spec.defaultBackend.resource.kind: Required value: kind is required',
        'spec.defaultBackend.resource.name: Invalid value: "a/b": may not contain \'/\'',
      ],
    ],
    [
      'a service without anything',
      to({ service: {} }),
      [
        'spec.defaultBackend.service.name: Required value',
        'spec.defaultBackend: Required value: port name or number is required',
      ],
    ],
    [
      'a port twice',
      to({ service: { name: 's', port: { name: 'a', number: 1 } } }),
      ['spec.defaultBackend: Invalid value: "": cannot set both port name & port number'],
    ],
    [
      'a bad number',
      to({ service: { name: 's', port: { number: 70000 } } }),
      [`spec.defaultBackend.service.port.number: Invalid value: 70000: ${RANGE}`],
    ],
    [
      'a bad name',
      to({ service: { name: 's', port: { name: '80' } } }),
      [
        'spec.defaultBackend.service.port.name: Invalid value: "80": must contain at least one letter (a-z)',
      ],
    ],
    [
      'hosts',
      { rules: [{ host: '1.2.3.4' }, { host: 'A' }, { host: '*' }, { host: '*.a.b' }, {}] },
      [
        'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
        `spec.rules[1].host: Invalid value: "A": ${SUBDOMAIN}`,
        `spec.rules[2].host: Invalid value: "*": ${WILDCARD}`,
      ],
    ],
    ['no paths', paths(), ['spec.rules[0].http.paths: Required value']],
    [
      'no kind of path',
      paths({}),
      [`${path0}.pathType: Required value: pathType must be specified`],
    ],
    [
      'unknown kind of path',
      paths({ pathType: 'X' }),
      [
        `${path0}.pathType: Unsupported value: "X": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
      ],
    ],
    ['any path', paths({ pathType: 'ImplementationSpecific' }), []],
    [
      'any path, not absolute',
      paths({ pathType: 'ImplementationSpecific', path: 'a' }),
      [at0('a', 'must be an absolute path')],
    ],
    ['an empty path', exact(''), [at0('', 'must be an absolute path')]],
    ['a good path', exact('/a/.b/..c'), []],
    [
      'steps up',
      exact('/a//b/./c/../d%2fe%2F/..'),
      [
        ...['//', '/./', '/../', '%2f', '%2F'].map((part) =>
          at0('/a//b/./c/../d%2fe%2F/..', `must not contain '${part}'`),
        ),
        at0('/a//b/./c/../d%2fe%2F/..', "cannot end with '/..'"),
      ],
    ],
    ['a dot at the end', exact('/.'), [at0('/.', "cannot end with '/.'")]],
    [
      'certificates',
      { ...to(backend), tls: [{ hosts: ['A', '*.b'], secretName: 'S' }, {}] },
      [
        `spec.tls[0].hosts[0]: Invalid value: "A": ${SUBDOMAIN}`,
        `spec.tls[0].secretName: Invalid value: "S": ${SUBDOMAIN}`,
      ],
    ],
    [
      'class',
      { ...to(backend), ingressClassName: '' },
      [`spec.ingressClassName: Invalid value: "": ${SUBDOMAIN}`],
    ],
  ] as [string, object, string[]][]) {
    test(name, () => expect(problems(ingresses, ingress(spec))).toEqual(want))
  }
})

describe('class in field and annotation', () => {
  const metadata = { name: 'x', annotations: { 'orch.io/ingress.class': 'a' } }
  const both = () => ingress({ ...to(backend), ingressClassName: 'b' }, { metadata })
  test('is refused on create', () =>
    expect(problems(ingresses, both())).toEqual([
      'annotations.orch.io/ingress.class: Invalid value: "a": can not be set when the class field is also set',
    ]))
  test('may stay', () => expect(problems(ingresses, both(), both())).toEqual([]))
})

describe('what was broken may stay so', () => {
  const secret = { ...to(backend), tls: [{ secretName: 'S' }] }
  const wild = { rules: [{ host: '*.a', http: { paths: [] } }] }
  for (const [name, old, next, want] of [
    ['secret', secret, secret, []],
    ['star', wild, wild, []],
    ['not without a star', wild, paths(), ['spec.rules[0].http.paths: Required value']],
    ['not what was good', to(backend), wild, ['spec.rules[0].http.paths: Required value']],
  ] as [string, object, object, string[]][]) {
    test(name, () => expect(problems(ingresses, ingress(next), ingress(old))).toEqual(want))
  }
})

test('generation counts changes of the spec, and a create has no status', () => {
  const first = ingress(to(backend), { status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } } })
  ingresses.prepareForCreate!(first, c)
  const same = structuredClone(first)
  ingresses.prepareForUpdate!(same, first, c)
  const other = structuredClone(first)
  other.spec.ingressClassName = 'a'
  ingresses.prepareForUpdate!(other, first, c)
  expect(first.status).toEqual({ loadBalancer: {} })
  expect([first, same, other].map(({ metadata }) => metadata.generation)).toEqual([1, 1, 2])
})

test('the status names addresses and hosts', () => {
  const errors = new FieldErrors()
  const object = ingress({}, { status: { loadBalancer: { ingress: [{ ip: 'x' }] } } })
  const { status } = ingresses.subresources!
  if (status?.serves === 'part') status.validate!(object, errors, c)
  expect(texts(errors)).toEqual([
    'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address',
  ])
})

describe('columns', () => {
  const hosts = (...list: string[]) => ({ rules: list.map((host) => ({ host })) })
  for (const [spec, status, want] of [
    [to(backend), {}, ['<none>', '*', '', '80']],
    [
      { ...hosts('a', 'b', '', 'c'), ingressClassName: 'k', tls: [{}] },
      { loadBalancer: { ingress: [{ hostname: 'h' }, { ip: '1.1.1.1' }] } },
      ['k', 'a,b,c', '1.1.1.1,h', '80, 443'],
    ],
    [hosts('a', 'b', 'c', 'd', 'e'), {}, ['<none>', 'a,b,c + 2 more...', '', '80']],
  ] as [object, object, string[]][]) {
    test(want.join(' '), () =>
      expect(cells(ingresses, ingress(spec, { status }))).toEqual(['x', ...want, '<unknown>']),
    )
  }
})

import { describe, expect, test } from 'vitest'
import { parseQuery, parseRequest, RequestPathError } from './request-info.ts'

const read = (line: string) => {
  const [method, target] = line.split(' ') as [string, string]
  const [path, query = ''] = target.split('?') as [string, string?]
  return parseRequest(method, path, query)
}

const resource = (
  verb: string,
  at: string,
  namespace: string,
  name: string,
  subresource: string,
) => ({ verb, at, namespace, name, subresource })

const CORE = 'api//v1/'
const APPS = 'apis/apps/v1/'

describe('resource requests', () => {
  for (const [line, expected] of [
    ['GET /api/v1/pods', resource('list', `${CORE}pods`, '', '', '')],
    ['HEAD /api/v1/pods', resource('list', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/pods/', resource('list', `${CORE}pods`, '', '', '')],
    ['GET //api/v1/pods', resource('list', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/nodes/n1', resource('get', `${CORE}nodes`, '', 'n1', '')],
    ['HEAD /api/v1/nodes/n1', resource('get', `${CORE}nodes`, '', 'n1', '')],
    ['GET /api/v1/nodes/n1/status', resource('get', `${CORE}nodes`, '', 'n1', 'status')],
    ['POST /api/v1/nodes', resource('create', `${CORE}nodes`, '', '', '')],
    ['PUT /api/v1/nodes/n1', resource('update', `${CORE}nodes`, '', 'n1', '')],
    ['PATCH /api/v1/nodes/n1', resource('patch', `${CORE}nodes`, '', 'n1', '')],
    ['DELETE /api/v1/nodes/n1', resource('delete', `${CORE}nodes`, '', 'n1', '')],
    ['DELETE /api/v1/nodes', resource('deletecollection', `${CORE}nodes`, '', '', '')],
    ['OPTIONS /api/v1/nodes', resource('', `${CORE}nodes`, '', '', '')],
    ['get /api/v1/nodes', resource('', `${CORE}nodes`, '', '', '')],
    ['GET /api/v1/namespaces/a/pods', resource('list', `${CORE}pods`, 'a', '', '')],
    ['POST /api/v1/namespaces/a/pods', resource('create', `${CORE}pods`, 'a', '', '')],
    ['GET /api/v1/namespaces/a/pods/p', resource('get', `${CORE}pods`, 'a', 'p', '')],
    ['GET /api/v1/namespaces/a/pods/p/log', resource('get', `${CORE}pods`, 'a', 'p', 'log')],
    ['POST /api/v1/namespaces/a/pods/p/exec', resource('create', `${CORE}pods`, 'a', 'p', 'exec')],
    [
      'GET /api/v1/namespaces/a/services/s/proxy/x/y',
      resource('get', `${CORE}services`, 'a', 's', 'proxy'),
    ],
    ['DELETE /api/v1/namespaces/a/pods', resource('deletecollection', `${CORE}pods`, 'a', '', '')],
    ['GET /apis/apps/v1/deployments', resource('list', `${APPS}deployments`, '', '', '')],
    [
      'PUT /apis/apps/v1/namespaces/a/deployments/d/scale',
      resource('update', `${APPS}deployments`, 'a', 'd', 'scale'),
    ],
    [
      'PATCH /apis/x.example.com/v1alpha1/namespaces/a/things/t/status',
      resource('patch', 'apis/x.example.com/v1alpha1/things', 'a', 't', 'status'),
    ],
    [
      'GET /apis/x.example.com/v1/widgets/w',
      resource('get', 'apis/x.example.com/v1/widgets', '', 'w', ''),
    ],
    // Namespaces are both a resource and a scope.
    ['GET /api/v1/namespaces', resource('list', `${CORE}namespaces`, '', '', '')],
    ['POST /api/v1/namespaces', resource('create', `${CORE}namespaces`, '', '', '')],
    ['GET /api/v1/namespaces/a', resource('get', `${CORE}namespaces`, 'a', 'a', '')],
    ['DELETE /api/v1/namespaces/a', resource('delete', `${CORE}namespaces`, 'a', 'a', '')],
    [
      'PUT /api/v1/namespaces/a/finalize',
      resource('update', `${CORE}namespaces`, 'a', 'a', 'finalize'),
    ],
    ['GET /api/v1/namespaces/a/status', resource('get', `${CORE}namespaces`, 'a', 'a', 'status')],
    ['GET /api/v1/namespaces/a/namespaces', resource('list', `${CORE}namespaces`, 'a', '', '')],
    ['GET /apis/g/v1/namespaces/a', resource('get', 'apis/g/v1/namespaces', 'a', 'a', '')],
    // Watches and lists.
    ['GET /api/v1/pods?watch=1', resource('watch', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/pods?watch=true', resource('watch', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/pods?watch', resource('watch', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/pods?watch=', resource('watch', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/pods?watch=yes', resource('watch', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/pods?watch=0', resource('list', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/pods?watch=False', resource('list', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/pods?watch=false&watch=true', resource('list', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/pods?rewatch=1', resource('list', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/nodes/n1?watch=1', resource('get', `${CORE}nodes`, '', 'n1', '')],
    // A field selector on the name.
    [
      'GET /api/v1/pods?fieldSelector=metadata.name%3Dp',
      resource('list', `${CORE}pods`, '', 'p', ''),
    ],
    [
      'GET /api/v1/pods?watch=1&fieldSelector=metadata.name==p',
      resource('watch', `${CORE}pods`, '', 'p', ''),
    ],
    [
      'GET /api/v1/pods?fieldSelector=spec.nodeName=n,metadata.name=p',
      resource('list', `${CORE}pods`, '', 'p', ''),
    ],
    [
      'GET /api/v1/pods?fieldSelector=metadata.name!=p',
      resource('list', `${CORE}pods`, '', '', ''),
    ],
    [
      'GET /api/v1/pods?fieldSelector=metadata.name=p,metadata.name=q',
      resource('list', `${CORE}pods`, '', '', ''),
    ],
    [
      'GET /api/v1/pods?fieldSelector=metadata.name=p%5C,q',
      resource('list', `${CORE}pods`, '', '', ''),
    ],
    [
      'GET /api/v1/pods?fieldSelector=metadata.name=..',
      resource('list', `${CORE}pods`, '', '', ''),
    ],
    [
      'DELETE /api/v1/pods?fieldSelector=metadata.name=p',
      resource('deletecollection', `${CORE}pods`, '', '', ''),
    ],
    [
      'POST /api/v1/pods?fieldSelector=metadata.name=p',
      resource('create', `${CORE}pods`, '', '', ''),
    ],
    // The legacy prefixes.
    ['GET /api/v1/watch/pods', resource('watch', `${CORE}pods`, '', '', '')],
    ['GET /api/v1/watch/namespaces', resource('watch', `${CORE}namespaces`, '', '', '')],
    ['GET /api/v1/watch/namespaces/a', resource('watch', `${CORE}namespaces`, 'a', 'a', '')],
    ['GET /api/v1/watch/namespaces/a/pods', resource('watch', `${CORE}pods`, 'a', '', '')],
    ['GET /api/v1/watch/namespaces/a/pods/p', resource('watch', `${CORE}pods`, 'a', 'p', '')],
    ['GET /apis/apps/v1/watch/deployments', resource('watch', `${APPS}deployments`, '', '', '')],
    [
      'GET /api/v1/watch/pods?fieldSelector=metadata.name=p',
      resource('watch', `${CORE}pods`, '', '', ''),
    ],
    ['POST /api/v1/proxy/nodes/n1', resource('proxy', `${CORE}nodes`, '', 'n1', '')],
    [
      'GET /api/v1/proxy/namespaces/a/pods/p/some/path',
      resource('proxy', `${CORE}pods`, 'a', 'p', ''),
    ],
    // Encodings and odd segments.
    ['GET /api/v1/nodes/a%2Fb', resource('get', `${CORE}nodes`, '', 'a/b', '')],
    ['GET /api/v1/nodes/a%252Fb', resource('get', `${CORE}nodes`, '', 'a%2Fb', '')],
    ['GET /api/v1/nodes/%C3%A9', resource('get', `${CORE}nodes`, '', 'é', '')],
    ['GET /api/v1/nodes/a+b', resource('get', `${CORE}nodes`, '', 'a+b', '')],
    ['GET /api/v1/namespaces/a%2Fpods/x', resource('list', `${CORE}x`, 'a/pods', '', '')],
    ['GET /api/v1//pods', resource('get', CORE, '', 'pods', '')],
    [
      'GET /api/v1/__proto__/constructor',
      resource('get', `${CORE}__proto__`, '', 'constructor', ''),
    ],
  ] as const) {
    test(line, () => {
      const info = read(line)
      expect({
        isResource: info.isResource,
        verb: info.verb,
        at: `${info.prefix}/${info.group}/${info.version}/${info.resource}`,
        namespace: info.namespace,
        name: info.name,
        subresource: info.subresource,
      }).toEqual({ isResource: true, ...expected })
    })
  }
})

describe('other requests', () => {
  for (const [line, verb] of [
    ['GET /', 'get'],
    ['GET /api', 'get'],
    ['GET /api/', 'get'],
    ['GET /api/v1', 'get'],
    ['GET /api/v1/', 'get'],
    ['GET /apis', 'get'],
    ['GET /apis/apps', 'get'],
    ['GET /apis/apps/v1', 'get'],
    ['GET /healthz/etcd/deep/path', 'get'],
    ['POST /openapi/v2', 'post'],
    ['GET /version?pretty=1', 'get'],
    ['GET /apiv1/v1/pods', 'get'],
    ['GET /API/v1/pods', 'get'],
    ['GET /healthz%2Fx', 'get'],
  ] as const) {
    test(line, () => {
      const path = line.split(' ')[1]!.split('?')[0]!
      expect(read(line)).toEqual({
        isResource: false,
        verb,
        path,
        isOldForm: false,
        isInNamespace: false,
        prefix: '',
        group: '',
        version: '',
        namespace: '',
        resource: '',
        subresource: '',
        name: '',
        parts: [],
      })
    })
  }
})

test('parts include segments after the sub-resource', () => {
  expect(read('GET /api/v1/namespaces/a/pods/p/proxy/x//y%2Fz')).toEqual({
    isResource: true,
    verb: 'get',
    path: '/api/v1/namespaces/a/pods/p/proxy/x//y%2Fz',
    isOldForm: false,
    isInNamespace: true,
    prefix: 'api',
    group: '',
    version: 'v1',
    namespace: 'a',
    resource: 'pods',
    subresource: 'proxy',
    name: 'p',
    parts: ['pods', 'p', 'proxy', 'x', '', 'y/z'],
  })
})

describe('ambiguous paths', () => {
  for (const [line, status, message] of [
    ['GET /api/v1/watch', 500, 'unable to determine kind and namespace from url, /api/v1/watch'],
    [
      'GET /apis/apps/v1/proxy/?a=b',
      500,
      'unable to determine kind and namespace from url, /apis/apps/v1/proxy/?a=b',
    ],
    ['GET /api/v1/nodes/%zz', 400, 'invalid URL escape in path segment "%zz"'],
    ['GET /api/v1/nodes/%', 400, 'invalid URL escape in path segment "%"'],
    ['GET /api/v1/nodes/%ff', 400, 'invalid URL escape in path segment "%ff"'],
    ['GET /healthz/%2', 400, 'invalid URL escape in path segment "%2"'],
  ] as const) {
    test(line, () => {
      let error: unknown
      try {
        read(line)
      } catch (caught) {
        error = caught
      }
      expect(error).toBeInstanceOf(RequestPathError)
      expect(error).toMatchObject({ status, message })
    })
  }
})

describe('parseQuery', () => {
  for (const [query, entries] of [
    ['', []],
    ['&&', []],
    ['a', [['a', ['']]]],
    ['a=', [['a', ['']]]],
    [
      'a=1&b=2&a=3',
      [
        ['a', ['1', '3']],
        ['b', ['2']],
      ],
    ],
    ['a=b=c', [['a', ['b=c']]]],
    ['=x', [['', ['x']]]],
    ['a+b=c+d%2B', [['a b', ['c d+']]]],
    [
      'a=%zz&%C3%A9=%3D',
      [
        ['a', ['%zz']],
        ['é', ['=']],
      ],
    ],
    [
      '__proto__=1&constructor=2',
      [
        ['__proto__', ['1']],
        ['constructor', ['2']],
      ],
    ],
  ] as const) {
    test(JSON.stringify(query), () => expect([...parseQuery(query)]).toEqual(entries))
  }
})

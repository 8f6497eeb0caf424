/** What a candidate keeps of its reviews is right for the next request, too. */
import { expect, test } from 'vitest'
import type { Attributes, GroupVersionKind } from '../attributes.ts'
import type { Candidate } from './hook-index.ts'
import { ObjectTexts, reviewText } from './review-request.ts'

const EVICTIONS = ['v1', 'v1beta1', 'v1'].map((version) => ({
  group: 'policy',
  version,
  kind: 'Eviction',
}))
const PODS = { group: '', version: 'v1', resource: 'pods' }

const request = async (candidate: Candidate, given: Partial<Attributes>) => {
  const attributes = {
    operation: 'CREATE',
    requestResource: PODS,
    requestSubresource: 'eviction',
    namespace: '',
    name: '',
    user: { name: 'u', uid: '', groups: [], extra: {} },
    dryRun: false,
    options: null,
    object: null,
    oldObject: null,
    ...given,
  } as unknown as Attributes
  const how = { uid: 'a"b', apiVersion: 'admission/v1', texts: new ObjectTexts() }
  return (JSON.parse(await reviewText(attributes, candidate, how)) as { request: object }).request
}

const stated = (requestKind: GroupVersionKind, kind = requestKind, resource = PODS) => ({
  uid: 'a"b',
  kind,
  resource,
  subResource: 'eviction',
  requestKind,
  requestResource: PODS,
  requestSubResource: 'eviction',
})
const rest = {
  operation: 'CREATE',
  userInfo: { username: 'u' },
  object: null,
  oldObject: null,
  dryRun: false,
  options: null,
}

test('kinds of bodies may differ from one request to the next', async () => {
  const candidate = { hook: null as never, resource: null, kind: null }
  for (const requestKind of EVICTIONS)
    expect(await request(candidate, { requestKind })).toEqual({ ...stated(requestKind), ...rest })
})

test('an equivalent version is stated beside the requested one', async () => {
  const kind = { group: 'other', version: 'v2', kind: 'Eviction' }
  const resource = { group: 'other', version: 'v2', resource: 'pods' }
  const candidate = { hook: null as never, resource, kind }
  for (const requestKind of EVICTIONS)
    expect(await request(candidate, { requestKind, name: 'n', namespace: 's' })).toEqual({
      ...stated(requestKind, kind, resource),
      ...rest,
      name: 'n',
      namespace: 's',
    })
})

test('members come in the order of the reference', async () => {
  const [requestKind] = EVICTIONS
  const candidate = { hook: null as never, resource: null, kind: null }
  const members = Object.keys(await request(candidate, { requestKind: requestKind!, name: 'n' }))
  expect(members).toEqual([...Object.keys(stated(requestKind!)), 'name', ...Object.keys(rest)])
})

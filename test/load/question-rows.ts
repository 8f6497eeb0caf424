/** Rows that ask: reviews and lists by selector. */
import { ask, MAPS, NS } from './requests.ts'
import { many, manyKeys, type Row } from './row.ts'

const REVIEW = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
export const reviews: Row[] = [
  {
    name: 'review of access with many groups',
    ask: ask('POST', REVIEW, () => ({
      spec: {
        user: 'u',
        groups: many((i) => `g${i}`),
        resourceAttributes: { verb: 'get', resource: 'pods' },
      },
    })),
    status: 201,
  },
  {
    name: 'review of access with much beside',
    ask: ask('POST', REVIEW, () => ({
      spec: {
        user: 'u',
        extra: manyKeys(
          (i) => `e${i}`,
          () => ['x'],
          { values: 45_000 },
        ),
        resourceAttributes: { verb: 'get', resource: 'pods' },
      },
    })),
    status: 201,
  },
  {
    name: 'review of a long token',
    ask: ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', () => ({
      spec: { token: 'x.'.repeat(1_500_000) },
    })),
    status: 201,
  },
  {
    name: 'token for many audiences',
    ask: ask('POST', `${NS}/serviceaccounts/default/token`, () => ({
      spec: { audiences: many((i) => `a${i}`) },
    })),
    status: 0,
  },
]

const labelled = Array.from({ length: 300 }, (_, i) =>
  ask('POST', MAPS, () => ({ metadata: { name: `l${i}`, labels: { app: 'x', [`k${i}`]: 'v' } } })),
)
const select = (name: string, query: () => string, status = 200): Row => ({
  name: `list by ${name}`,
  before: labelled,
  ask: { method: 'GET', path: `${MAPS}?${query()}` },
  status,
  after: [{ method: 'DELETE', path: `${MAPS}?labelSelector=app` }],
})
const URL_BYTES = 50_000
const words = (make: (i: number) => string) => {
  let text = ''
  for (let i = 0; text.length < URL_BYTES; i++) text += (i === 0 ? '' : ',') + make(i)
  return text
}
export const selectors: Row[] = [
  select('many labels', () => `labelSelector=${words((i) => `!n${i}`)}`),
  select(
    'one label with many values',
    () => `labelSelector=app%20notin%20(${words((i) => `v${i}`)})`,
  ),
  select('the same label many times', () => `labelSelector=${words(() => 'app')}`),
  select('many fields', () => `fieldSelector=${words((i) => `metadata.name!=n${i}`)}`),
  select('many unknown fields', () => `fieldSelector=${words((i) => `a${i}=b`)}`, 400),
  select('many parameters', () => words((i) => `a${i}=`).replaceAll(',', '&')),
]

import { expect, test } from 'vitest'
import { verbsOf } from '../../../catalogue/catalogue.ts'
import type { Resource } from '../../../catalogue/resource.ts'
import { nodes } from '../node/node.ts'
import { serviceAccounts } from '../service-account.ts'
import { pods } from './pod.ts'

/** Name, what it runs (for those that run something), and verbs. */
const listed = ({ subresources }: Resource) =>
  Object.entries(subresources!)
    .map(([name, one]) => [name, 'run' in one ? one.run : '', verbsOf(one).join(' ')])
    .toSorted(([a], [b]) => (a! < b! ? -1 : 1))

const ANY = 'create delete get patch update'
const STREAM = 'create get'
const PART = 'get patch update'

test('sub-resources that do more than show a part', () => {
  // Evictions belong to another group and have tests of their own.
  expect(listed(pods).filter(([name]) => name !== 'eviction')).toEqual([
    ['attach', 'podAttach', STREAM],
    ['binding', 'podBinding', 'create'],
    ['ephemeralcontainers', '', PART],
    ['exec', 'podExec', STREAM],
    ['log', 'podLog', 'get'],
    ['portforward', 'podPortForward', STREAM],
    ['proxy', 'podProxy', ANY],
    ['status', '', PART],
  ])
  expect(listed(nodes)).toEqual([
    ['proxy', 'nodeProxy', ANY],
    ['status', '', PART],
  ])
  expect(listed(serviceAccounts)).toEqual([['token', 'tokenRequest', 'create']])
})

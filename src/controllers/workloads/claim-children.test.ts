import { afterEach, beforeEach, expect, test } from 'vitest'
import { selectorFromLabels } from '../../meta/selectors.ts'
import { inProcess, type InProcess, type Made } from '../../server/in-process.fixture.ts'
import { CONFIG_MAPS } from '../addresses.ts'
import { claimChildren } from './claim-children.ts'
import type { WithMeta } from './owner.ts'

let context: InProcess
beforeEach(async () => void (context = await inProcess()))
afterEach(() => context.close())

const MAPS = ['v1', 'configmaps', 'default'] as const
const KIND = { apiVersion: 'v1', kind: 'ConfigMap' }
const make = (name: string, metadata: object = {}): Promise<Made> =>
  context.hand.create(MAPS, { metadata: { name, labels: { app: 'web' }, ...metadata } })
const ownedBy = ({ metadata: { name, uid } }: Made) => ({
  ownerReferences: [{ ...KIND, name, uid, controller: true, blockOwnerDeletion: true }],
})
const owners = async (name: string): Promise<string[]> => {
  const { metadata } = await context.hand.get([...MAPS, name])
  return (metadata.ownerReferences ?? []).map((one: Made) => one.name)
}
async function claim(owner: Made, children: Made[], fresh: Made | null = owner): Promise<string[]> {
  const client = context.controllerContext.clientFor('tester')
  const claimed = await claimChildren<WithMeta>(children, {
    owner,
    kind: KIND,
    selector: selectorFromLabels({ app: 'web' }),
    of: client.resource<WithMeta>(CONFIG_MAPS).in('default'),
    freshOwner: async () => fresh,
    finalizer: 'example.com/held',
  })
  return claimed.map(({ metadata }) => metadata.name ?? '')
}

test('an owner keeps, adopts and releases; what others control is left alone', async () => {
  const [owner, other] = [await make('owner'), await make('other')]
  const children = [
    await make('mine', ownedBy(owner)),
    await make('free'),
    await make('free-other-label', { labels: { app: 'x' } }),
    await make('theirs', ownedBy(other)),
    await make('no-longer-mine', {
      ...ownedBy(owner),
      labels: {},
      finalizers: ['example.com/held'],
    }),
  ]
  expect(await claim(owner, children)).toEqual(['mine', 'free'])
  const after = await Promise.all(children.map((one) => owners(one.metadata.name)))
  expect(after).toEqual([['owner'], ['owner'], [], ['other'], []])
  const { metadata: adopted } = await context.hand.get([...MAPS, 'free'])
  const { metadata: released } = await context.hand.get([...MAPS, 'no-longer-mine'])
  expect([adopted.finalizers, released.finalizers]).toEqual([['example.com/held'], undefined])
})

test('an owner that is gone or being deleted adopts nothing', async () => {
  const owner = await make('owner')
  const free = await make('free')
  const { uid } = owner.metadata
  await expect(claim(owner, [free], null)).rejects.toThrow(
    `original default/owner is gone: got uid none, wanted ${uid}`,
  )
  const deletionTimestamp = '2024-01-02T03:04:05Z'
  const leaving = { metadata: { ...owner.metadata, deletionTimestamp } }
  await expect(claim(owner, [free], leaving)).rejects.toThrow(
    'default/owner has just been deleted at 2024-01-02T03:04:05Z',
  )
  expect(await claim(leaving, [free])).toEqual([])
  expect(await owners('free')).toEqual([])
})

test('a child that was replaced by another of its name is not adopted; one that is gone is no failure', async () => {
  const owner = await make('owner')
  const free = await make('free')
  await context.hand.delete([...MAPS, 'free'])
  expect(await claim(owner, [free])).toEqual([])
  await make('free')
  await expect(claim(owner, [free])).rejects.toThrow(/uid/)
  expect(await owners('free')).toEqual([])
})

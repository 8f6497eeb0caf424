import { expect, onTestFinished, test, vi } from 'vitest'
import { deleteEach } from './delete-each.ts'

/** Items whose deletes begin and end when told so. */
function steps() {
  const log: string[] = []
  const ends = new Map<number, (error?: Error) => void>()
  const work = (item: number, begun: () => void) =>
    new Promise<void>((resolve, reject) => {
      log.push(`check ${item}`)
      ends.set(item, (error) => (error ? reject(error) : resolve()))
      queueMicrotask(begun)
    })
  return { log, ends, work }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Until so many items have begun, and no more begin. A busy machine makes it pause more often. */
async function begun(log: readonly string[], count: number): Promise<void> {
  while (log.length < count) await settled()
  await settled()
}
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

test('some wait for the store together, and the others for them', async () => {
  const { log, ends, work } = steps()
  const done = deleteEach(numbers(80), work)
  await begun(log, 64)
  expect(log).toEqual(numbers(64).map((i) => `check ${i}`))
  ends.get(7)!()
  await begun(log, 65)
  expect(log).toHaveLength(65)
  while (log.length < 80) {
    for (const end of ends.values()) end()
    await settled()
  }
  for (const end of ends.values()) end()
  await done
  expect(log).toEqual(numbers(80).map((i) => `check ${i}`))
})

test('a failure ends it when all that began have ended', async () => {
  const { log, ends, work } = steps()
  let outcome = ''
  const done = deleteEach(numbers(80), work).catch((error: Error) => (outcome = error.message))
  await begun(log, 64)
  ends.get(3)!(new Error('first'))
  ends.get(4)!(new Error('second'))
  await settled()
  expect([log.length, outcome]).toEqual([64, ''])
  for (const end of ends.values()) end()
  await done
  expect([log.length, outcome]).toEqual([64, 'first'])
})

test('a check that fails lets no other begin', async () => {
  const seen: number[] = []
  const failing = deleteEach(numbers(9), (item) => {
    seen.push(item)
    return item === 2 ? Promise.reject(new Error('refused')) : Promise.resolve()
  })
  await expect(failing).rejects.toThrow('refused')
  expect(seen).toEqual([0, 1, 2])
})

test('nothing is nothing', async () => {
  await deleteEach([], () => Promise.reject(new Error('called')))
})

test('a delete that is checked at once lets the next one begin at once', async () => {
  // Others are served after some milliseconds, which may pass on a busy machine.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => clock.mockRestore())
  const seen: number[] = []
  const done = deleteEach(numbers(3), (item, begun) => {
    seen.push(item)
    begun()
    return Promise.resolve()
  })
  expect(seen).toEqual([0, 1, 2])
  await done
})

test('failures that are passed over let the others begin', async () => {
  const seen: number[] = []
  const work = (item: number) => {
    seen.push(item)
    return Promise.reject(new Error(item === 2 ? 'refused' : 'gone'))
  }
  const isGone = (error: unknown) => (error as Error).message === 'gone'
  await expect(deleteEach(numbers(5), work, isGone)).rejects.toThrow('refused')
  expect(seen).toEqual([0, 1, 2])
})

import { describe, expect, test } from 'vitest'
import { KeyedMutex } from './context.ts'

/** Work that ends when the test says so. */
function workOf(begun: string[], name: string) {
  let end = () => {}
  let fail: (error: Error) => void = () => {}
  let release = () => {}
  const ended = new Promise<string>((resolve, reject) => {
    end = () => resolve(name)
    fail = reject
  })
  const work = (free: () => void) => {
    begun.push(name)
    release = free
    return ended
  }
  return { work, end, fail, release: () => release() }
}

describe('a mutex for each key', () => {
  test('runs work of one key in first-come order, and that of others at once', async () => {
    const mutex = new KeyedMutex()
    const begun: string[] = []
    const [a1, a2, a3, b] = ['a1', 'a2', 'a3', 'b'].map((name) => workOf(begun, name))
    const taken = [a1!, a2!, a3!].map(({ work }) => mutex.take('a', work))
    const other = mutex.take('b', b!.work)
    expect(begun).toEqual(['a1', 'b'])
    a2!.end()
    a1!.end()
    expect(await taken[1]).toBe('a2')
    a3!.end()
    b!.end()
    expect(await Promise.all([...taken, other])).toEqual(['a1', 'a2', 'a3', 'b'])
    expect(begun).toEqual(['a1', 'b', 'a2', 'a3'])
  })

  test('lets the next one go where work releases the key, and once only', async () => {
    const mutex = new KeyedMutex()
    const begun: string[] = []
    const [first, second, third] = ['1', '2', '3'].map((name) => workOf(begun, name))
    const one = mutex.take('a', first!.work)
    const two = mutex.take('a', second!.work)
    first!.release()
    first!.end()
    expect(await one).toBe('1')
    const three = mutex.take('a', third!.work)
    await Promise.resolve()
    expect(begun).toEqual(['1', '2'])
    second!.end()
    third!.end()
    expect(await Promise.all([two, three])).toEqual(['2', '3'])
  })

  test('lets the next one go where work fails, at once or later', async () => {
    const mutex = new KeyedMutex()
    const begun: string[] = []
    const [late, last] = ['late', 'last'].map((name) => workOf(begun, name))
    const atOnce = mutex.take('a', () => {
      throw new Error('at once')
    })
    await expect(atOnce).rejects.toThrow('at once')
    const failing = mutex.take('a', late!.work)
    const behind = mutex.take('a', last!.work)
    late!.fail(new Error('later'))
    await expect(failing).rejects.toThrow('later')
    last!.end()
    expect(await behind).toBe('last')
  })
})

import { describe, expect, test } from 'vitest'
import { lineLog, silentLog, type Log } from './log.ts'

const TIME = '2024-01-02T03:04:05.678Z'

function linesOf(format: 'text' | 'json', level: number, say: (log: Log) => void): string[] {
  const lines: string[] = []
  const now = () => Date.parse(TIME)
  say(lineLog({ format, level, now, write: (line) => void lines.push(line) }))
  return lines
}

const sayAll = (log: Log) => {
  log.error('e')
  log.warn('w')
  log.info('i')
  log.debug(2, 'd2')
  log.debug(4, 'd4')
}

describe('levels', () => {
  for (const { level, shown } of [
    { level: 0, shown: ['error e', 'warn  w'] },
    { level: 1, shown: ['error e', 'warn  w', 'info  i'] },
    { level: 2, shown: ['error e', 'warn  w', 'info  i', 'debug d2'] },
    { level: 4, shown: ['error e', 'warn  w', 'info  i', 'debug d2', 'debug d4'] },
  ]) {
    test(`-v ${level} shows ${shown.length} of five lines`, () => {
      expect(linesOf('text', level, sayAll)).toEqual(shown.map((text) => `${TIME} ${text}\n`))
    })
  }

  test('v reports whether a level is shown', () => {
    linesOf('text', 2, (log) => expect([0, 1, 2, 3].map(log.v)).toEqual([true, true, true, false]))
  })
})

describe('forms', () => {
  for (const { name, say, text, json } of [
    {
      name: 'fields of every kind; absent ones are left out',
      say: (log: Log) => log.warn('m', { a: 'x y', b: 1, c: true, d: null, e: undefined }),
      text: 'warn  m a="x y" b=1 c=true d=null',
      json: '"level":"warn","msg":"m","a":"x y","b":1,"c":true,"d":null',
    },
    {
      name: 'line feeds stay inside the line',
      say: (log: Log) => log.error('a\nb', { stack: 'x\n  at y' }),
      text: 'error a\\nb stack="x\\n  at y"',
      json: '"level":"error","msg":"a\\nb","stack":"x\\n  at y"',
    },
    {
      name: 'a field cannot take the place of the message, level or time',
      say: (log: Log) => log.error('m', { msg: 'n', level: 'info' }),
      text: 'error m msg="n" level="info"',
      json: '"level":"error","msg":"m"',
    },
    {
      name: 'a child adds its fields to each line, its own last word',
      say: (log: Log) => log.child({ part: 'store', n: 1 }).child({ n: 2 }).error('m', { k: 'v' }),
      text: 'error m part="store" n=2 k="v"',
      json: '"level":"error","msg":"m","part":"store","n":2,"k":"v"',
    },
  ]) {
    test(name, () => {
      expect(linesOf('text', 0, say)).toEqual([`${TIME} ${text}\n`])
      expect(linesOf('json', 0, say)).toEqual([`{"time":"${TIME}",${json}}\n`])
    })
  }
})

test('the silent log writes nothing, and `v` is false', () => {
  sayAll(silentLog.child({ a: 1 }))
  expect(silentLog.v(0)).toBe(false)
})

test('parts of the program have levels of their own', () => {
  const lines: string[] = []
  const log = lineLog({
    format: 'text',
    level: 1,
    modules: [
      { pattern: 'http*', level: 3 },
      { pattern: 'http2', level: 0 },
      { pattern: 'quiet', level: 0 },
    ],
    now: () => Date.parse(TIME),
    write: (line) => lines.push(line),
  }).child({ a: 1 })
  const levels = (name: string) => [0, 1, 2, 3, 4].filter((level) => log.module?.(name).v(level))
  expect([levels('http'), levels('http2'), levels('quiet'), levels('x')]).toEqual([
    [0, 1, 2, 3],
    [0, 1, 2, 3],
    [0, 1],
    [0, 1],
  ])
  log.module?.('http').debug(3, 'd')
  expect(lines).toEqual([`${TIME} debug d a=1\n`])
})

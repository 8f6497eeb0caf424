import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { CODE_SUFFIX, openScript, thisRuntime } from './start-cached.ts'

const dir = mkdtempSync(join(tmpdir(), 'code-'))
const path = join(dir, 'script.js')
const script = (answer: number) =>
  `(function (exports, require, module, __filename, __dirname, __url, __import) {
  function answer() { return ${answer} }
  module.exports = {
    answer: answer(),
    place: [__filename, __dirname, __url],
    join: require('node:path').join('a', 'b'),
    later: (url) => __import(url),
  }
})`

beforeEach(() => {
  writeFileSync(path, script(42))
  rmSync(path + CODE_SUFFIX, { force: true })
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Runs the script, and stores its code cache as that of a runtime. */
function keep(runtime?: string) {
  const opened = openScript(path, runtime)
  opened.run()
  writeFileSync(path + CODE_SUFFIX, opened.code())
}

test('a script gets the arguments of a module', async () => {
  const other = pathToFileURL(join(dir, 'other.mjs')).href
  writeFileSync(new URL(other), 'export const other = 7')
  for (const isCached of [false, true]) {
    const opened = openScript(path)
    expect(opened.isCached).toBe(isCached)
    const { later, ...others } = opened.run() as {
      later: (url: string) => Promise<unknown>
    }
    expect(others).toEqual({
      answer: 42,
      place: [path, dir, pathToFileURL(path).href],
      join: join('a', 'b'),
    })
    expect(await later(other)).toMatchObject({ other: 7 })
    writeFileSync(path + CODE_SUFFIX, opened.code())
  }
})

test('a script imports modules of the others in its folder, each once', () => {
  const other = join(dir, 'other.js')
  writeFileSync(
    path,
    `(function (exports, require, module) {
  module.exports = { parts: { mine: () => ({ of: 'script' }) }, other: () => require('other.js#its') }
})`,
  )
  writeFileSync(
    other,
    `(function (exports, require, module) {
  let runs = 0
  module.exports = { parts: { its: () => ({ runs: ++runs, mine: require('script.js#mine').of }) } }
})`,
  )
  const given = openScript(path).run() as { other(): unknown }
  for (let time = 0; time < 2; time++) expect(given.other()).toEqual({ runs: 1, mine: 'script' })
})

describe('code that does not fit is as none', () => {
  const damage = (change: (code: Buffer) => Buffer) =>
    writeFileSync(path + CODE_SUFFIX, change(readFileSync(path + CODE_SUFFIX)))
  for (const { name, spoil, answer = 42 } of [
    {
      name: 'another script of the same length',
      spoil: () => writeFileSync(path, script(43)),
      answer: 43,
    },
    { name: 'another script', spoil: () => writeFileSync(path, script(4444)), answer: 4444 },
    { name: 'a changed byte', spoil: () => damage((code) => code.fill(code[99]! ^ 1, 99, 100)) },
    { name: 'an end too early', spoil: () => damage((code) => code.subarray(0, -9)) },
    { name: 'next to nothing', spoil: () => damage((code) => code.subarray(0, 11)) },
    { name: 'the seal alone', spoil: () => damage((code) => code.subarray(0, 12)) },
    { name: 'another release', spoil: () => keep(`${thisRuntime()} another`) },
  ]) {
    test(name, () => {
      keep()
      expect(openScript(path).isCached).toBe(true)
      spoil()
      const opened = openScript(path)
      expect(opened.isCached).toBe(false)
      expect((opened.run() as { answer: number }).answer).toBe(answer)
    })
  }
})

/** What the documentation says of packages and releases of Node.js is what is installed and what runs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

interface LockedPackage {
  readonly dev?: boolean
  readonly peer?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Packages that others need to find their native binaries. */
const LOADERS = ['require-addon', 'node-gyp-build', 'node-gyp-build-optional-packages', 'bindings']
const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six']

/** The packages that users get, by name. */
const installed = Object.entries(
  (JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> }).packages,
)
  .filter(([path, { dev = false, peer = false }]) => path !== '' && !dev && !peer)
  .map(([path, locked]) => ({ name: path.replace(/^.*node_modules\//, ''), ...locked }))

const named = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).toSorted()
const word = (count: number) => WORDS[count]!.replace(/^./, (letter) => letter.toUpperCase())
const prose = read('docs/security.md').replaceAll('\n', ' ')

test('docs/security.md names the packages with native code', () => {
  const native = installed
    .filter(
      ({ hasInstallScript, dependencies = {} }) =>
        hasInstallScript === true || LOADERS.some((loader) => Object.hasOwn(dependencies, loader)),
    )
    .map(({ name }) => name)
  const [, count, names = ''] =
    /(\w+) of the packages that are installed contain native code: (.+?), an optional/.exec(
      prose,
    ) ?? []
  expect({ count, names: named(names) }).toEqual({
    count: word(native.length),
    names: native.toSorted(),
  })
})

test('docs/security.md names the packages with install scripts', () => {
  const scripts = installed.filter(({ hasInstallScript }) => hasInstallScript === true)
  const [, count, names = ''] = /(\w+) have an install script, (.+?): it looks/.exec(prose) ?? []
  expect({ count, names: named(names) }).toEqual({
    count: word(scripts.length),
    names: scripts.map(({ name }) => name).toSorted(),
  })
})

test('docs/platforms.md names the releases of Node.js that CI runs', () => {
  const releases = new Map(
    [...read('tools/with-node.mjs').matchAll(/^ {2}([\d.]+): \[\n {4}'([\d.]+)'/gm)].map(
      ([, name = '', release = '']) => [name, release],
    ),
  )
  const rows = [
    ...read('docs/platforms.md').matchAll(/^\| ([\d.]+) \| [^|]+ \| ([^|]+) \|$/gm),
  ].map(([, release = '', runs = '']) => ({ release, runs }))
  const running = (what: RegExp) =>
    rows.filter(({ runs }) => what.test(runs)).map(({ release }) => release)
  const whole = /with-node\.mjs (\S+) npm test/.exec(read('.ci/run'))?.[1] ?? ''
  const runtime = /"test:runtime": "node tools\/with-node\.mjs (\S+) /.exec(
    read('package.json'),
  )?.[1]
  const smoke = /\? \[(.+)\] : \[null\]/.exec(read('test/smoke/program.test.ts'))?.[1] ?? ''
  const releasesOf = (names: string) =>
    [...names.matchAll(/[\d.]+/g)].map(([name]) => releases.get(name))
  expect(running(/^the whole suite$/)).toEqual(releasesOf(whole))
  expect(running(/^the suites that depend on the runtime/)).toEqual(releasesOf(runtime ?? ''))
  expect(running(/^the (built program|same)/)).toEqual(releasesOf(smoke))
  expect(read('.nvmrc').trim()).toBe(whole)
  expect(read('README.md')).toContain(`Node.js ${whole}, which is recommended`)
})

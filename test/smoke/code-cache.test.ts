/** Code that the build keeps is used by the release of Node.js that made it, and hinders no other. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canFetch, DIST, Run } from './releases.ts'

const RELEASES = ['20', '24', '26']

let root = ''
let dist = ''
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'kept-code-'))
  dist = join(root, 'dist')
  cpSync(DIST, dist, { recursive: true })
  cpSync(join(DIST, '..', 'package.json'), join(root, 'package.json'))
  symlinkSync(join(DIST, '..', 'node_modules'), join(root, 'node_modules'), 'junction')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const run = (release: string, ...args: string[]) => new Run(release, args).ended

/** Whether a release uses the code that is kept. */
async function uses(release: string): Promise<boolean> {
  const [loader, script] = [
    join(dist, 'src', 'code-cache', 'start-cached.js'),
    join(dist, 'src', 'program.js'),
  ]
  const look = `import(${JSON.stringify(pathToFileURL(loader).href)})
    .then((m) => console.log(m.openScript(${JSON.stringify(script)}).isCached))`
  const { stdout } = await run(release, '-e', look)
  return stdout === 'true\n'
}

describe.skipIf(!canFetch).each(RELEASES)('code that Node.js %s made', (maker) => {
  test('is used by it alone, and the program runs on all', async () => {
    const program = join(dist, 'src', 'code-cache', 'write-cache.js')
    expect(await run(maker, program)).toEqual({ code: 0, stdout: '', stderr: '' })
    for (const release of RELEASES) {
      expect({ release, uses: await uses(release) }).toEqual({ release, uses: release === maker })
      expect(await run(release, join(dist, 'bin', 'orch.js'), 'version')).toEqual({
        code: 0,
        stdout: 'orch 0.1.0\n',
        stderr: '',
      })
    }
  })
})

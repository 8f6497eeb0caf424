import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canFetch, DIST, Run } from './releases.ts'

const PROGRAMS = readdirSync(join(DIST, 'bin')).filter((name) => name.endsWith('.js'))

describe.skipIf(!canFetch)('a release of Node.js that is too old', () => {
  test.each(PROGRAMS)('is told so by %s', async (program) => {
    const { ended } = new Run('18', [join(DIST, 'bin', program), '--version'])
    expect(await ended).toEqual({
      code: 1,
      stdout: '',
      stderr: 'orch needs Node.js 22.12 or newer, or 20.19 or newer of line 20; this is 18.20.8\n',
    })
  })
})

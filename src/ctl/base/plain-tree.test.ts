import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeLinks } from './plain-tree.ts'

test('links and pipes are removed, wherever they lead, and nothing behind them is touched', () => {
  const root = mkdtempSync(join(tmpdir(), 'tree-'))
  try {
    const [outside, folder] = [join(root, 'outside'), join(root, 'folder')]
    mkdirSync(join(outside, 'deep'), { recursive: true })
    mkdirSync(join(folder, 'in'), { recursive: true })
    writeFileSync(join(outside, 'secret'), 'kept')
    writeFileSync(join(folder, 'in', 'file'), 'mine')
    symlinkSync(join(outside, 'secret'), join(folder, 'to-file'))
    symlinkSync('../../outside', join(folder, 'in', 'to-folder'))
    symlinkSync('nowhere', join(folder, 'in', 'to-nothing'))
    execFileSync('mkfifo', [join(folder, 'pipe')])
    const removed = removeLinks(folder).map(({ path, target }) => [
      path.slice(folder.length),
      target,
    ])
    expect(removed).toEqual([
      ['/in/to-folder', '../../outside'],
      ['/in/to-nothing', 'nowhere'],
      ['/to-file', join(outside, 'secret')],
    ])
    expect(readdirSync(folder, { recursive: true })).toEqual(['in', 'in/file'])
    expect(readdirSync(outside)).toEqual(['deep', 'secret'])
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('kept')
  } finally {
    rmSync(root, { recursive: true })
  }
})

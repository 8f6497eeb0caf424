import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isHeld } from './lock.ts'

const statOf = async (pid: number) => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

test('a process that has ended holds nothing, though nobody has collected it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'lock-'))
  // The second program takes the place of the shell and never asks for the first.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'])
  const [text] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(text.toString())
  try {
    await writeFile(join(dir, 'lock'), `${pid} ${(await statOf(pid))[19]}\n`)
    expect(isHeld(dir)).toBe(true)
    process.kill(pid, 'SIGKILL')
    await expect.poll(async () => (await statOf(pid))[0]).toBe('Z')
    expect(isHeld(dir)).toBe(false)
  } finally {
    parent.kill('SIGKILL')
    await rm(dir, { recursive: true, force: true })
  }
})

/** What a service manager hears of the program, through the programs of systemd. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { programOf } from '../program.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const dir = mkdtempSync(join(tmpdir(), 'manager-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Node.js has no datagram sockets of this kind. */
const RECEIVER = `
use Socket;
socket(S, AF_UNIX, SOCK_DGRAM, 0) or die; bind(S, pack_sockaddr_un($ARGV[0])) or die;
$| = 1; print "bound\\n";
while (defined recv(S, $m, 4096, 0)) { print "$m\\n" }
`

const hasSystemd = ['/usr/bin/systemd-notify', '/usr/bin/perl'].every((path) => existsSync(path))

test.skipIf(!hasSystemd)(
  'it hears of ready, alive and stopping',
  async () => {
    const socket = join(dir, 'notify')
    const receiver = spawn('perl', ['-e', RECEIVER, socket])
    let heard = ''
    receiver.stdout.on('data', (data: Buffer) => (heard += data.toString()))
    await expect.poll(() => heard).toBe('bound\n')
    const config = join(dir, 'config.yaml')
    writeFileSync(
      config,
      `store: memory\nsecure-port: 0\ncontrollers: false\ndata-dir: ${dir}/data\n`,
    )
    const program = spawn(process.execPath, [...programOf(), 'server', `--config=${config}`], {
      cwd: ROOT,
      env: { ...process.env, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '200000' },
    })
    let said = ''
    program.stderr.on('data', (data: Buffer) => (said += data.toString()))
    try {
      await expect
        .poll(() => heard, { timeout: 30_000 })
        .toMatch(/READY=1\nSTATUS=Serving at https:\/\/127\.0\.0\.1:\d+\n/)
      await expect.poll(() => heard, { timeout: 10_000 }).toMatch(/WATCHDOG=1\n[^]*WATCHDOG=1\n/)
      program.kill('SIGTERM')
      const [code] = (await once(program, 'close')) as [number]
      expect([code, said]).toEqual([0, expect.stringMatching(/how="in order"\n$/)])
      await expect.poll(() => heard).toMatch(/STOPPING=1\nSTATUS=Shutting down\n/)
    } finally {
      program.kill('SIGKILL')
      receiver.kill()
    }
  },
  60_000,
)

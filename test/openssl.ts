/** The openssl program, as an opinion on certificates that is not ours. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs it with `{name}` in arguments standing for a file with that text; gives what it printed. */
export async function openssl(
  args: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'openssl-'))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
    const { stdout } = await run(
      'openssl',
      args.map((arg) => arg.replace(/^\{(\w+)\}$/, (_, name: string) => join(dir, name))),
    )
    return stdout
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

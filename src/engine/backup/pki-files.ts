import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupFile } from './form.ts'

/** Keys and certificates of a data directory, as files. Throws an Error where there are none. */
export async function readPkiFiles(dataDir: string): Promise<BackupFile[]> {
  const dir = join(dataDir, 'pki')
  const entries = await readdir(dir, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  // Pieces of a write that was cut short have a longer end.
  const names = entries
    .filter((entry) => entry.isFile() && /\.(key|crt|pub)$/.test(entry.name))
    .map(({ name }) => name)
    .sort()
  if (names.length === 0) throw new Error(`there are no keys in ${dir}; leave --with-pki away`)
  return Promise.all(
    names.map(async (name) => ({ name, content: await readFile(join(dir, name)) })),
  )
}

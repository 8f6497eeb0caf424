// Writes the stored forms of the first objects beside the built files. A part of the build, after the compiler.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Makes them with the compiled files of a folder: in memory, without a server. */
export async function writeFirstObjects(dist) {
  const bootstrap = join(dist, 'src', 'server', 'bootstrap')
  const { preparedFiles } = await import(pathToFileURL(join(bootstrap, 'prepare-objects.js')))
  // Joined files lie in this folder.
  for (const [name, bytes] of await preparedFiles()) writeFileSync(join(dist, 'src', name), bytes)
}

import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/**
 * Calls back whenever a file may have changed, until the returned function is called. It is watched through its folder:
 * files of certificates are replaced rather than written to.
 */
export function watchFile(path: string, changed: () => void): () => void {
  const file = basename(path)
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
      // Mounted folders are switched as a whole, by a link that begins with two dots.
      if (name === null || name === file || name.startsWith('..')) changed()
    })
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  } catch {
    // Callers read it again from time to time anyway.
    return () => {}
  }
}

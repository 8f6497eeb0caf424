/**
 * File operations that do not block. Node's own promises of them load an editor of lines and watchers of
 * folders, which a start has no use for and would wait for.
 */
import { fsync, readFile as read, rename as move, rm as remove } from 'node:fs'
import { promisify } from 'node:util'

/** As in `node:fs/promises`, like the others. */
export const readFile = promisify(read)
export const rename = promisify(move)
export const rm = promisify(remove)
/** Resolves when an open file is on disk. */
export const flushed = promisify(fsync)

import { readFileSync } from 'node:fs'
import { readFile } from './files.ts'
import { forFlag, forFlagSync } from './plain-reason.ts'

const task = (flag: string, path: string) => `${flag}: cannot read ${path}`

/** The text of the file that a flag names. Rejects with an Error that names both. */
export const readFlagFile = (flag: string, path: string): Promise<string> =>
  forFlag(task(flag, path), () => readFile(path, 'utf8'))

/** Contents of the file that a flag names, read synchronously. Throws an Error that names both. */
export const readFlagFileSync = (flag: string, path: string): Buffer =>
  forFlagSync(task(flag, path), () => readFileSync(path))

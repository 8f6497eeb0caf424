/** The data directory of the stand-in for etcd: its mark, and where the server keeps objects in it. */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plainReason } from '../base/plain-reason.ts'
import { makeFolders, OWNER_FILE } from '../base/folders.ts'
import { dropIn, product } from '../vocabulary/index.ts'

/** What the stand-in answers to the server; the token is in the mark as well. */
export interface DataFolder {
  readonly dataDir: string
  readonly token: string
}

/** Subdirectory that etcd itself has in its data directory. */
const ETCD_OWN = 'member'

/** Makes the directory where it is absent, and marks it. Throws an Error when it is that of an etcd. */
export function markDataFolder(dataDir: string): DataFolder {
  try {
    makeFolders(dataDir)
  } catch (cause) {
    const why = `data directory ${dataDir} cannot be used: ${plainReason(cause)}`
    throw new Error(why, { cause })
  }
  if (existsSync(join(dataDir, ETCD_OWN))) {
    throw new Error(
      `data directory ${dataDir} is that of an etcd, whose objects cannot be read; choose another with --data-dir`,
    )
  }
  const token = randomUUID()
  const about = `Data directory of the stand-in of ${product.title} for etcd.`
  const mark = `${JSON.stringify({ about, token })}\n`
  writeFileSync(join(dataDir, dropIn.mark), mark, { mode: OWNER_FILE })
  return { dataDir, token }
}

/** Whether an answer names a directory that has the mark of who answered: anybody may listen on a port. */
export function isMarked(answer: unknown): answer is DataFolder {
  if (typeof answer !== 'object' || answer === null) return false
  const { dataDir, token } = answer as Partial<Record<keyof DataFolder, unknown>>
  if (typeof dataDir !== 'string' || typeof token !== 'string') return false
  try {
    const mark: unknown = JSON.parse(readFileSync(join(dataDir, dropIn.mark), 'utf8'))
    return (mark as DataFolder | null)?.token === token
  } catch {
    return false
  }
}

/** Directory of the objects under a prefix of keys. */
export const objectsDir = ({ dataDir }: DataFolder, prefix: string): string =>
  join(dataDir, `${dropIn.objects}-${encodeURIComponent(prefix)}`)

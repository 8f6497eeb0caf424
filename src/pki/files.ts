import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rename, rm } from '../base/files.ts'
import { keepToOwner, makeFolders, OWNER_FILE } from '../base/folders.ts'
import { agreed, ForeignPki, type Authorities, type AuthorityStore } from './authorities.ts'
import { completePki, UnusablePki, type Pki, type PkiOptions, type PkiParts } from './pki.ts'
import { writeFileAtomically, writeFlushed } from './write-file.ts'

export type { Pki } from './pki.ts'

interface Place {
  readonly part: keyof Pki
  readonly name: string
  /** Whether it is secret: others may be handed out. */
  readonly isSecret: boolean
}

/** Keys before what belongs to them: a certificate without its key is never the newer one. */
const PLACES: readonly Place[] = [
  { part: 'caKey', name: 'ca.key', isSecret: true },
  { part: 'ca', name: 'ca.crt', isSecret: false },
  { part: 'servingKey', name: 'apiserver.key', isSecret: true },
  { part: 'servingCert', name: 'apiserver.crt', isSecret: false },
  { part: 'adminKey', name: 'admin.key', isSecret: true },
  { part: 'adminCert', name: 'admin.crt', isSecret: false },
  { part: 'saPrivateKey', name: 'sa.key', isSecret: true },
  { part: 'saPublicKey', name: 'sa.pub', isSecret: false },
]

/** Makes everything anew, in memory only; the authorities are those of the store, where one is given. */
export function createPki(
  options: PkiOptions & { readonly shared?: AuthorityStore | null },
): Promise<Pki> {
  const { shared, clock } = options
  const complete = (parts: PkiParts) => completePki(parts, options)
  return shared ? agreed({}, shared, clock.now(), complete) : complete({})
}

/** Where a set is kept, and with whom it is shared. */
export interface PkiPlace {
  readonly dir: string
  /** Authorities that all servers of the cluster share; those of the folder alone by default. */
  readonly shared?: AuthorityStore | null
  /** Initial authorities of a folder without any. */
  readonly inherited?: () => Promise<Authorities | null>
  /** Called with keys that others may read, and that cannot be protected from them. */
  readonly onReadable?: (what: string) => void
}

/**
 * Reads the set under `<dir>/pki`, makes parts that are missing or about to end, and writes those too. The authority
 * stays as long as its files do. Throws an Error that names the file which cannot be used.
 */
export async function ensurePki(options: PkiOptions & PkiPlace): Promise<Pki> {
  const dir = join(options.dir, 'pki')
  const { inherited } = options
  let kept = readParts(dir)
  if (isEmpty(kept)) {
    const pki = await complete(dir, (await inherited?.()) ?? {}, options)
    if (await keepAll(dir, pki)) return pki
    // Another process was faster, and its files count; or the folder is a mounted one.
    kept = readParts(dir)
  }
  const pki = await complete(dir, kept, options)
  await writeChanged(dir, pki, kept)
  for (const { part, name, isSecret } of PLACES) {
    if (!isSecret || pki[part] === undefined || pki[part] !== kept[part]) continue
    const left = keepToOwner(join(dir, name), OWNER_FILE)
    if (left !== null) options.onReadable?.(left)
  }
  return pki
}

/** Writes what is new in a set under `<dir>/pki`. */
export const writeRenewed = (dir: string, pki: Pki, before: Pki): Promise<void> =>
  writeChanged(join(dir, 'pki'), pki, before)

async function writeChanged(dir: string, pki: Pki, kept: PkiParts): Promise<void> {
  for (const { part, name } of PLACES) {
    const text = pki[part]
    if (text !== undefined && text !== kept[part])
      await writeFileAtomically(join(dir, name), text, OWNER_FILE)
  }
}

const isEmpty = (parts: PkiParts): boolean => Object.keys(parts).length === 0

async function complete(dir: string, kept: PkiParts, options: PkiOptions & PkiPlace): Promise<Pki> {
  const { shared, clock } = options
  try {
    const whole = (parts: PkiParts) => completePki(parts, options)
    return await (shared ? agreed(kept, shared, clock.now(), whole) : whole(kept))
  } catch (cause) {
    if (cause instanceof ForeignPki) {
      throw new Error(
        `${join(dir, nameOf(cause.part))} ${cause.message} of the cluster, which is kept as ${shared?.place}; move ${dir} away for this server to take what the cluster has, or, for the cluster to take what this server has, stop all its servers, move their other pki folders away and delete that key`,
        { cause },
      )
    }
    if (!(cause instanceof UnusablePki)) throw cause
    if (shared && kept[cause.part] === undefined) {
      throw new Error(
        `${nameOf(cause.part)} of the cluster, which is kept as ${shared.place}, ${cause.message}; put the right files into ${dir} and delete that key`,
        { cause },
      )
    }
    throw new Error(
      `${join(dir, nameOf(cause.part))} ${cause.message}; put the right file there, or remove ${dir} to make everything anew`,
      { cause },
    )
  }
}

const nameOf = (part: keyof Pki): string => PLACES.find((place) => place.part === part)?.name ?? ''

/** Synchronous: eight small files take less time than eight asynchronous calls. */
function readParts(dir: string): PkiParts {
  const texts = PLACES.map(({ part, name }) => [part, readIfThere(join(dir, name))] as const)
  return Object.fromEntries(texts.filter(([, text]) => text !== null))
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Puts the whole folder in its place in one step; false when there is one already that cannot be replaced. */
async function keepAll(dir: string, pki: Pki): Promise<boolean> {
  const temporary = `${dir}.${randomBytes(6).toString('hex')}`
  makeFolders(temporary)
  try {
    await Promise.all(
      PLACES.flatMap(({ part, name }) => {
        const text = pki[part]
        return text === undefined ? [] : [writeFlushed(join(temporary, name), text, OWNER_FILE)]
      }),
    )
    await rename(temporary, dir)
    return true
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    // Systems differ in their error codes, and Windows and mounted folders refuse an empty one too.
    if (existsSync(dir)) return false
    throw error
  }
}

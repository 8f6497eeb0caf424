import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { completePki, UnusablePki, type Pki, type PkiOptions, type PkiParts } from './pki.ts'
import { writeFileAtomically, writeFlushed } from './write-file.ts'

export type { Pki } from './pki.ts'

interface Place {
  readonly part: keyof Pki
  readonly name: string
  readonly mode: number
}

const SECRET = 0o600
const PUBLIC = 0o644

/** Keys before what belongs to them: a certificate without its key is never the newer one. */
const PLACES: readonly Place[] = [
  { part: 'caKey', name: 'ca.key', mode: SECRET },
  { part: 'ca', name: 'ca.crt', mode: PUBLIC },
  { part: 'servingKey', name: 'apiserver.key', mode: SECRET },
  { part: 'servingCert', name: 'apiserver.crt', mode: PUBLIC },
  { part: 'adminKey', name: 'admin.key', mode: SECRET },
  { part: 'adminCert', name: 'admin.crt', mode: PUBLIC },
  { part: 'saPrivateKey', name: 'sa.key', mode: SECRET },
  { part: 'saPublicKey', name: 'sa.pub', mode: PUBLIC },
]

/** Makes everything anew, in memory only. */
export function createPki(options: PkiOptions): Promise<Pki> {
  return completePki({}, options)
}

/**
 * Takes what is kept under `<dir>/pki`, makes what is missing or about to end, and keeps that too. The authority
 * stays as long as its files do. Throws an Error that names the file which cannot be used.
 */
export async function ensurePki(options: PkiOptions & { readonly dir: string }): Promise<Pki> {
  const dir = join(options.dir, 'pki')
  let kept = await readParts(dir)
  let pki = await complete(dir, kept, options)
  if (Object.keys(kept).length === 0) {
    if (await keepAll(dir, pki)) return pki
    // Another process was faster; what it made counts.
    kept = await readParts(dir)
    pki = await complete(dir, kept, options)
  }
  for (const { part, name, mode } of PLACES) {
    const text = pki[part]
    if (text !== undefined && text !== kept[part]) {
      await writeFileAtomically(join(dir, name), text, mode)
    }
  }
  return pki
}

async function complete(dir: string, kept: PkiParts, options: PkiOptions): Promise<Pki> {
  try {
    return await completePki(kept, options)
  } catch (error) {
    if (!(error instanceof UnusablePki)) throw error
    const name = PLACES.find(({ part }) => part === error.part)?.name ?? ''
    throw new Error(
      `${join(dir, name)} ${error.message}; put the right file there, or remove ${dir} to make everything anew`,
      { cause: error },
    )
  }
}

async function readParts(dir: string): Promise<PkiParts> {
  const texts = await Promise.all(
    PLACES.map(async ({ part, name }) => [part, await readIfThere(join(dir, name))] as const),
  )
  return Object.fromEntries(texts.filter(([, text]) => text !== null))
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Puts the whole folder in its place in one step; false when there is one with files in it already. */
async function keepAll(dir: string, pki: Pki): Promise<boolean> {
  const temporary = `${dir}.${randomBytes(6).toString('hex')}`
  await mkdir(temporary, { recursive: true, mode: 0o700 })
  try {
    await Promise.all(
      PLACES.map(({ part, name, mode }) =>
        writeFlushed(join(temporary, name), pki[part] ?? '', mode),
      ),
    )
    await rename(temporary, dir)
    return true
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

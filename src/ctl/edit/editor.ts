/** The editor of the user. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vocabularies } from '../../vocabulary/index.ts'
import { Fault } from '../base/faults.ts'
import type { Io } from '../base/io.ts'

/** Lets the user edit a text; gives what they saved. */
export async function edited(text: string, extension: string, io: Io): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'edit-'))
  const path = join(folder, `edit${extension}`)
  try {
    writeFileSync(path, text, { mode: 0o600 })
    await open(editorOf(io), path, io)
    return readFileSync(path, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Variables that name an editor, the most particular first. */
function editorOf(io: Io): string {
  const names = [
    ...Object.values(vocabularies).map((v) => `${v.words.system.toUpperCase()}_EDITOR`),
    ...['VISUAL', 'EDITOR'],
  ]
  const found = names.map((name) => io.env[name] ?? '').find((value) => value !== '')
  return found ?? (process.platform === 'win32' ? 'notepad' : 'vi')
}

function open(editor: string, path: string, io: Io): Promise<void> {
  return new Promise((resolve, reject) => {
    // An editor may come with arguments, so a shell reads it; the path is an argument of its own.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], {
      stdio: 'inherit',
      env: { ...io.env },
      cwd: io.cwd,
    })
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0
        ? resolve()
        : reject(new Fault(`error: there was a problem with the editor "${editor}"`)),
    )
  })
}

/** Programs on the search path that add commands: `orchctl a b` runs `orchctl-a-b` or `orchctl-a`. */
import { spawn } from 'node:child_process'
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Io } from './base/io.ts'

/** Runs the plugin of the longest name; null when there is none. */
export async function runPlugin(
  args: readonly string[],
  { program, io }: { readonly program: string; readonly io: Io },
): Promise<number | null> {
  const end = args.findIndex((arg) => arg.startsWith('-'))
  const words = args.slice(0, end === -1 ? undefined : end)
  for (let n = words.length; n > 0; n--) {
    const parts = words.slice(0, n).map((word) => word.replaceAll('-', '_'))
    if (parts.some((part) => !/^[\w.]+$/.test(part))) continue
    const path = onPath([program, ...parts].join('-'), io)
    if (path !== null) return run(path, args.slice(n), io)
  }
  return null
}

function run(path: string, args: readonly string[], io: Io): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: 'inherit', env: { ...io.env }, cwd: io.cwd })
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

const folders = (io: Io) => (io.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')

function onPath(name: string, io: Io): string | null {
  return (
    folders(io)
      .map((folder) => join(folder, name))
      .find(isProgram) ?? null
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Paths of all plugins, in the order of the search path. */
export function allPlugins(program: string, io: Io): string[] {
  return [...new Set(folders(io))].flatMap((folder) => {
    try {
      return readdirSync(folder)
        .filter((name) => name.startsWith(`${program}-`))
        .sort()
        .map((name) => join(folder, name))
    } catch {
      return []
    }
  })
}

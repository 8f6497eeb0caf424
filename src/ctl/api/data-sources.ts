/** Data of config maps and secrets: `--from-literal`, `--from-file`, `--from-env-file`. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { formatJson } from '../../codec/json-text.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import type { FlagSpecs } from '../base/flags.ts'

export const dataFlags = {
  'append-hash': { type: 'bool', help: 'Append a hash of the object to its name.' },
  'from-env-file': {
    type: 'list',
    help: 'Specify the path to a file to read lines of key=val pairs to create the object.',
  },
  'from-file': {
    type: 'list',
    help: 'Key file can be specified using its file path, in which case file basename will be used as key, or optionally with a key and file path. Specifying a directory will iterate each named file in the directory.',
  },
  'from-literal': {
    type: 'array',
    help: 'Specify a key and literal value to insert (i.e. mykey=somevalue)',
  },
} as const satisfies FlagSpecs

const KEY = /^[-._a-zA-Z0-9]+$/

/** All data, in order of the flags. Throws for keys that are wrong or there twice. */
export function dataOf(c: Context): Map<string, Buffer> {
  const data = new Map<string, Buffer>()
  const add = (key: string, value: Buffer) => {
    if (!KEY.test(key) || key === '.' || key === '..') {
      throw new Fault(
        `error: ${JSON.stringify(key)} is not valid key name: a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
      )
    }
    if (data.has(key))
      throw new Fault(
        `error: cannot add key ${JSON.stringify(key)}, another key by that name already exists in Data`,
      )
    data.set(key, value)
  }
  if (
    c.flags.list('from-env-file').length > 0 &&
    (c.flags.list('from-file').length > 0 || c.flags.list('from-literal').length > 0)
  ) {
    throw new Fault('error: from-env-file cannot be combined with from-file or from-literal')
  }
  for (const source of c.flags.list('from-file'))
    for (const [key, value] of fromFile(c, source)) add(key, value)
  for (const source of c.flags.list('from-literal')) {
    const equals = source.indexOf('=')
    if (equals < 1) throw new Fault(`error: invalid literal source ${source}, expected key=value`)
    const value = source.slice(equals + 1).replace(/^(['"])(.*)\1$/s, '$2')
    add(source.slice(0, equals), Buffer.from(value))
  }
  for (const source of c.flags.list('from-env-file')) {
    for (const [key, value] of fromEnvFile(c, source)) add(key, Buffer.from(value))
  }
  return data
}

function fromFile(c: Context, source: string): [string, Buffer][] {
  const equals = source.indexOf('=')
  const key = equals === -1 ? '' : source.slice(0, equals)
  const path = source.slice(equals + 1)
  if (equals === 0) throw new Fault('error: key name for file path ' + path + ' missing')
  if (path === '') throw new Fault(`error: file path for key name ${key} missing`)
  const full = resolve(c.io.cwd, path)
  const stat = statSync(full, { throwIfNoEntry: false })
  if (!stat) throw new Fault(`error: error reading ${path}: no such file or directory`)
  if (!stat.isDirectory()) return [[key === '' ? basename(path) : key, readFileSync(full)]]
  if (key !== '') throw new Fault('error: cannot give a key name for a directory path')
  return readdirSync(full, { withFileTypes: true })
    .filter((entry) => entry.isFile() && KEY.test(entry.name))
    .map((entry) => [entry.name, readFileSync(join(full, entry.name))])
}

function fromEnvFile(c: Context, path: string): [string, string][] {
  const full = resolve(c.io.cwd, path)
  const stat = statSync(full, { throwIfNoEntry: false })
  if (!stat) throw new Fault(`error: error reading ${path}: no such file or directory`)
  if (!stat.isFile()) throw new Fault(`error: env config file ${path} cannot be a directory`)
  return readFileSync(full, 'utf8')
    .split('\n')
    .map((line) => line.trimStart().replace(/\r$/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const equals = line.indexOf('=')
      if (equals === -1) return [line, c.io.env[line] ?? '']
      return [line.slice(0, equals), line.slice(equals + 1)]
    })
}

/** A name with a hash of the content, for objects that are never changed. */
export function hashedName(name: string, content: unknown): string {
  const digits = createHash('sha256').update(formatJson(content)).digest('hex').slice(0, 10)
  const letters: Readonly<Record<string, string>> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' }
  return `${name}-${[...digits].map((digit) => letters[digit] ?? digit).join('')}`
}

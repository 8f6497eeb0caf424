/** Changes client configuration files, one writer at a time. */
import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { ConfigMap } from '../../client/config-values.ts'
import { toYaml } from '../../codec/yaml.ts'
import { Fault } from '../base/faults.ts'
import { MEMBER, readConfig, type ConfigList } from './files.ts'

/** An empty file's content. */
const EMPTY: ConfigMap = {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [],
  contexts: [],
  'current-context': '',
  preferences: {},
  users: [],
}

/** Reads a file, changes what it holds, and writes it, with a lock file beside it as other tools take it. */
export async function changeFile(
  file: string,
  change: (document: ConfigMap) => ConfigMap,
): Promise<void> {
  mkdirSync(dirname(file), { recursive: true })
  const lock = `${file}.lock`
  try {
    closeSync(openSync(lock, 'wx'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new Fault(
        `error: open ${lock}: file exists: another program writes the file; remove the lock when there is none`,
      )
    }
    throw new Fault(`error: cannot write ${file}: ${(error as Error).message}`)
  }
  try {
    const { documents } = await readConfig([file])
    const text = await toYaml(change({ ...EMPTY, ...documents.get(file) }))
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, text, { mode: mode & 0o777 })
    renameSync(draft, file)
  } finally {
    rmSync(lock, { force: true })
  }
}

/** Sets, or with null removes, one entry of a list. */
export async function changeEntry(
  file: string,
  list: ConfigList,
  name: string,
  value: ConfigMap | null,
): Promise<void> {
  await changeFile(file, (document) => {
    const items = (Array.isArray(document[list]) ? document[list] : []) as { name?: unknown }[]
    const others = items.filter((item) => item?.name !== name)
    const at = items.findIndex((item) => item?.name === name)
    const entry = value === null ? [] : [{ [MEMBER[list]]: value, name }]
    const place = at === -1 ? others.length : at
    const changed = [...others.slice(0, place), ...entry, ...others.slice(place)]
    // In order of names, as other tools write them.
    const nameOf = (item: unknown) => String((item as { name?: unknown }).name)
    return { ...document, [list]: changed.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) }
  })
}

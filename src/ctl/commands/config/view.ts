/** config: shows client configuration files, and changes them. */
import { readFileSync } from 'node:fs'
import type { ConfigMap } from '../../../client/config-values.ts'
import { textOf } from '../../../client/config-values.ts'
import type { ApiObject } from '../../../client/transport.ts'
import type { Command } from '../../base/command.ts'
import type { Context } from '../../base/context.ts'
import { Fault, throwAll } from '../../base/faults.ts'
import { mergedConfig } from '../../config/choose.ts'
import {
  folderOf,
  resolved,
  type ConfigEntry,
  type ConfigList,
  type MergedConfig,
  MEMBER,
} from '../../config/files.ts'
import { Columns } from '../../print/columns.ts'
import { formatOf, outputFlags, printerOf } from '../../print/output.ts'

const SECRETS = ['token', 'password', 'client-key-data', 'client-certificate-data']
const SECRET_CONFIG = ['id-token', 'refresh-token', 'client-secret', 'access-token']

export const configView: Command = {
  use: '[flags]',
  text: 'Shows the merged configuration, with credentials left out unless --raw is given.',
  examples: [
    ['All', 'config view'],
    ['With credentials', 'config view --raw'],
    ['One value', "config view -o jsonpath='{.users[0].name}'"],
  ],
  flags: {
    ...outputFlags,
    output: { ...outputFlags.output, default: 'yaml' },
    flatten: {
      type: 'bool',
      help: 'Flatten the resulting configuration file into self-contained output (useful for creating portable configuration files)',
    },
    merge: {
      type: 'text',
      default: 'true',
      bare: 'true',
      help: 'Merge the full hierarchy of configuration files',
    },
    minify: {
      type: 'bool',
      help: 'Remove all information not used by current-context from the output',
    },
    raw: { type: 'bool', help: 'Display raw byte data and sensitive data' },
  },
  async run(c) {
    if (c.args.length > 0) throw c.misuse(`unexpected arguments: [${c.args.join(' ')}]`)
    const merged = await mergedConfig(c.flags, c.io)
    const kept = c.flags.is('minify') ? minified(c, merged) : null
    const list = (name: ConfigList) =>
      [...merged[name].values()]
        .filter((entry) => kept === null || kept[name] === entry.name)
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((entry) => ({ [MEMBER[name]]: shown(c, name, entry), name: entry.name }))
    const orNull = (items: object[]) => (items.length === 0 ? null : items)
    const view = {
      apiVersion: 'v1',
      clusters: orNull(list('clusters')),
      contexts: orNull(list('contexts')),
      'current-context': c.flags.text('context') || merged.currentContext,
      kind: 'Config',
      preferences: merged.preferences,
      users: orNull(list('users')),
    }
    const print = await printerOf(c, formatOf(c, false))
    c.out(await print(view as unknown as ApiObject))
  },
}

function minified(c: Context, merged: MergedConfig): Record<ConfigList, string> {
  const contexts = c.flags.text('context') || merged.currentContext
  const context = merged.contexts.get(contexts)
  if (contexts === '') throw new Fault('error: current-context must exist in order to minify')
  if (!context) throw new Fault(`error: cannot locate context ${contexts}`)
  return {
    contexts,
    clusters: textOf(context.value, 'cluster') ?? '',
    users: textOf(context.value, 'user') ?? '',
  }
}

function shown(c: Context, list: ConfigList, entry: ConfigEntry): ConfigMap {
  const value: Record<string, unknown> = { ...entry.value }
  const folder = folderOf(entry)
  for (const name of ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile']) {
    const path = value[name]
    if (typeof path !== 'string' || path === '') continue
    value[name] = resolved(path, folder)
    if (c.flags.is('flatten') && name !== 'tokenFile') {
      value[`${name}-data`] = readFileSync(String(value[name])).toString('base64')
      delete value[name]
    }
  }
  if (c.flags.is('raw')) return value
  for (const name of SECRETS) if (Object.hasOwn(value, name)) value[name] = 'REDACTED'
  if (Object.hasOwn(value, 'certificate-authority-data'))
    value['certificate-authority-data'] = 'DATA+OMITTED'
  if (list === 'users') hideProvider(value)
  return value
}

function hideProvider(user: Record<string, unknown>): void {
  const provider = user['auth-provider'] as { config?: Record<string, unknown> } | undefined
  if (typeof provider?.config !== 'object') return
  const config = { ...provider.config }
  for (const name of SECRET_CONFIG) if (Object.hasOwn(config, name)) config[name] = 'REDACTED'
  user['auth-provider'] = { ...provider, config }
}

export const currentContext: Command = {
  use: '',
  text: 'Shows the current context.',
  async run(c) {
    const { currentContext: name } = await mergedConfig(c.flags, c.io)
    if (name === '') throw new Fault('error: current-context is not set')
    c.out(`${name}\n`)
  },
}

/** A command that shows the names of one list. */
const names = (list: 'clusters' | 'users'): Command => ({
  use: '',
  text: `Shows the ${list} of the configuration.`,
  async run(c) {
    const all = [...(await mergedConfig(c.flags, c.io))[list].keys()].sort()
    c.out(['NAME', ...all].map((name) => `${name}\n`).join(''))
  },
})

export const getClusters = names('clusters')
export const getUsers = names('users')

export const getContexts: Command = {
  use: '[(-o|--output=)name)]',
  text: 'Shows contexts of the configuration.',
  flags: {
    'no-headers': {
      type: 'bool',
      help: "When using the default or custom-column output format, don't print headers.",
    },
    output: { type: 'text', short: 'o', help: 'Output format. One of: (name).' },
  },
  async run(c) {
    const output = c.flags.text('output')
    if (output !== '' && output !== 'name')
      throw new Fault(`error: output must be one of '' or 'name': ${output}`)
    const { contexts, currentContext: current } = await mergedConfig(c.flags, c.io)
    const wanted = c.args.length > 0 ? [...c.args] : [...contexts.keys()]
    wanted.sort()
    if (output === 'name') return c.out(wanted.map((name) => `${name}\n`).join(''))
    const missing = wanted.filter((name) => !contexts.has(name))
    const rows = wanted
      .filter((name) => contexts.has(name))
      .map((name) => {
        const get = (key: string) => textOf(contexts.get(name)!.value, key) ?? ''
        return [name === current ? '*' : '', name, get('cluster'), get('user'), get('namespace')]
      })
    const head = ['CURRENT', 'NAME', 'CLUSTER', 'AUTHINFO', 'NAMESPACE']
    c.out(new Columns().format(c.flags.is('no-headers') ? rows : [head, ...rows]))
    throwAll(missing.map((name) => new Fault(`error: context ${name} not found`)))
  },
}

/** config: the commands that change files. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { mapOf, memberOf, type ConfigMap } from '../../../client/config-values.ts'
import type { Command } from '../../base/command.ts'
import type { Context } from '../../base/context.ts'
import { Fault } from '../../base/faults.ts'
import { mergedConfig } from '../../config/choose.ts'
import { configFiles, type ConfigList } from '../../config/files.ts'
import { changeEntry, changeFile } from '../../config/write.ts'

/** The file to change: where an entry stands, or the first that is written to. */
const fileFor = (c: Context, own: string | undefined): string =>
  own ?? configFiles(c.flags.text('kubeconfig'), c.io)[0]!

function oneName(c: Context, what: string): string {
  const [name = ''] = c.args
  if (c.args.length !== 1 || name === '') throw c.misuse(`you must specify a ${what}`)
  return name
}

async function merged(c: Context) {
  try {
    return await mergedConfig(c.flags, c.io)
  } catch (error) {
    // A file that is named but does not exist is made.
    if (!(error instanceof Fault) || !error.message.includes('no such file')) throw error
    return {
      currentContext: '',
      clusters: new Map(),
      contexts: new Map(),
      users: new Map(),
    } as unknown as Awaited<ReturnType<typeof mergedConfig>>
  }
}

export const useContext: Command = {
  use: 'CONTEXT_NAME',
  text: 'Sets the current context.',
  examples: [['The context of another cluster', 'config use-context staging']],
  async run(c) {
    const name = oneName(c, 'context name')
    const { contexts, documents } = await mergedConfig(c.flags, c.io)
    if (!contexts.has(name)) throw new Fault(`error: no context exists with the name: "${name}"`)
    await changeFile(fileFor(c, fileWithCurrent(documents)), (document) => ({
      ...document,
      'current-context': name,
    }))
    c.out(`Switched to context "${name}".\n`)
  },
}

const fileWithCurrent = (documents: ReadonlyMap<string, ConfigMap>): string | undefined =>
  [...documents].find(([, document]) => Boolean(memberOf(document, 'current-context')))?.[0]

/** Deletes an entry of a list. */
const deleting = (list: ConfigList, what: string): Command => ({
  use: 'NAME',
  text: `Deletes the ${what} from the configuration.`,
  async run(c) {
    const [name = ''] = c.args
    if (c.args.length !== 1)
      throw new Fault(`error: you must specify the name of the ${what} to delete`)
    const config = await mergedConfig(c.flags, c.io)
    const entry = config[list].get(name)
    const file = fileFor(c, entry?.file)
    if (!entry) throw new Fault(`error: cannot delete ${what} ${name}, not in ${file}`)
    await changeEntry(entry.file, list, name, null)
    if (list === 'contexts' && config.currentContext === name) {
      c.err(
        'warning: this removed your active context, use "' +
          c.program +
          ' config use-context" to select a different one\n',
      )
    }
    c.out(`deleted ${what} ${name} from ${file}\n`)
  },
})

export const deleteCluster = deleting('clusters', 'cluster')
export const deleteContext = deleting('contexts', 'context')
export const deleteUser = deleting('users', 'user')

export const renameContext: Command = {
  use: 'CONTEXT_NAME NEW_NAME',
  text: 'Renames a context.',
  async run(c) {
    const [from = '', to = ''] = c.args
    if (c.args.length !== 2)
      throw c.misuse('you must specify the old and the new name of the context')
    const { contexts, currentContext } = await mergedConfig(c.flags, c.io)
    const entry = contexts.get(from)
    if (!entry)
      throw new Fault(
        `error: cannot rename the context "${from}", it's not in ${fileFor(c, undefined)}`,
      )
    if (contexts.has(to)) {
      throw new Fault(
        `error: cannot rename the context "${from}", the context "${to}" already exists in ${entry.file}`,
      )
    }
    await changeEntry(entry.file, 'contexts', from, null)
    await changeEntry(entry.file, 'contexts', to, entry.value)
    if (currentContext === from) {
      await changeFile(entry.file, (document) => ({ ...document, 'current-context': to }))
    }
    c.out(`Context "${from}" renamed to "${to}".\n`)
  },
}

export const setContext: Command = {
  use: '[NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]',
  text: 'Sets a context. What is not given stays as it is.',
  examples: [
    ['The namespace of the current context', 'config set-context --current --namespace=team'],
  ],
  flags: { current: { type: 'bool', help: 'Modify the current context' } },
  async run(c) {
    const config = await merged(c)
    const isCurrent = c.flags.is('current')
    if (isCurrent === c.args.length > 0) {
      throw c.misuse(
        isCurrent
          ? 'you cannot specify both a context name and --current'
          : 'you must specify a non-empty context name or --current',
      )
    }
    const name = isCurrent ? config.currentContext : oneName(c, 'context name')
    if (name === '') throw new Fault('error: no current context is set')
    const entry = config.contexts.get(name)
    const value: Record<string, unknown> = { cluster: '', user: '', ...entry?.value }
    for (const key of ['cluster', 'user', 'namespace'])
      if (c.flags.isSet(key)) value[key] = c.flags.text(key)
    await changeEntry(fileFor(c, entry?.file), 'contexts', name, value)
    c.out(`Context "${name}" ${entry ? 'modified' : 'created'}.\n`)
  },
}

export const setCluster: Command = {
  use: 'NAME [--server=server] [--certificate-authority=path/to/certificate/authority] [--insecure-skip-tls-verify=true] [--tls-server-name=example.com]',
  text: 'Sets a cluster. What is not given stays as it is.',
  examples: [
    [
      'Its address and authority',
      'config set-cluster e2e --server=https://1.2.3.4 --certificate-authority=ca.crt --embed-certs',
    ],
  ],
  flags: {
    'embed-certs': { type: 'bool', help: 'embed-certs for the cluster entry' },
    'proxy-url': { type: 'text', help: 'proxy-url for the cluster entry' },
  },
  async run(c) {
    const name = oneName(c, 'cluster name')
    const entry = (await merged(c)).clusters.get(name)
    const value: Record<string, unknown> = { server: '', ...entry?.value }
    for (const key of ['server', 'tls-server-name', 'proxy-url']) {
      if (c.flags.isSet(key)) value[key] = c.flags.text(key)
    }
    if (c.flags.isSet('insecure-skip-tls-verify')) {
      const skips = c.flags.is('insecure-skip-tls-verify')
      if (skips && c.flags.text('certificate-authority') !== '') {
        throw new Fault(
          'error: you cannot specify a certificate authority and insecure mode at the same time',
        )
      }
      value['insecure-skip-tls-verify'] = skips
      if (skips) removeFile(value, 'certificate-authority')
    }
    setFile(c, value, 'certificate-authority')
    if (c.flags.text('certificate-authority') !== '') delete value['insecure-skip-tls-verify']
    await changeEntry(fileFor(c, entry?.file), 'clusters', name, value)
    c.out(`Cluster "${name}" set.\n`)
  },
}

function removeFile(value: Record<string, unknown>, key: string): void {
  delete value[key]
  delete value[`${key}-data`]
}

/** A file by its path, or by its content with `--embed-certs`. */
function setFile(c: Context, value: Record<string, unknown>, key: string): void {
  const path = c.flags.text(key)
  if (path === '') return
  removeFile(value, key)
  const full = resolve(c.io.cwd, path)
  if (!c.flags.is('embed-certs')) {
    value[key] = full
    return
  }
  try {
    value[`${key}-data`] = readFileSync(full).toString('base64')
  } catch {
    throw new Fault(
      `error: could not stat ${key} file ${path}: stat ${path}: no such file or directory`,
    )
  }
}

export const setCredentials: Command = {
  use: 'NAME [--client-certificate=path/to/certfile] [--client-key=path/to/keyfile] [--token=bearer_token] [--username=basic_user] [--password=basic_password] [--auth-provider=provider_name] [--auth-provider-arg=key=value] [--exec-command=exec_command] [--exec-api-version=exec_api_version] [--exec-arg=arg] [--exec-env=key=value]',
  text: 'Sets the credentials of a user. What is not given stays as it is.',
  examples: [
    [
      'A certificate, embedded',
      'config set-credentials admin --client-certificate=admin.crt --client-key=admin.key --embed-certs',
    ],
    [
      'A plugin',
      'config set-credentials admin --exec-command=/path/to/plugin --exec-api-version=client.authentication/v1',
    ],
  ],
  flags: {
    'auth-provider': { type: 'text', help: 'Auth provider for the user entry' },
    'auth-provider-arg': { type: 'array', help: "'key=value' arguments for the auth provider" },
    'embed-certs': { type: 'bool', help: 'Embed client cert/key for the user entry' },
    'exec-api-version': {
      type: 'text',
      help: 'API version of the exec credential plugin for the user entry',
    },
    'exec-arg': {
      type: 'list',
      help: 'New arguments for the exec credential plugin command for the user entry',
    },
    'exec-command': {
      type: 'text',
      help: 'Command for the exec credential plugin for the user entry',
    },
    'exec-env': {
      type: 'array',
      help: "'key=value' environment values for the exec credential plugin",
    },
  },
  async run(c) {
    const name = oneName(c, 'user name')
    const entry = (await merged(c)).users.get(name)
    const value: Record<string, unknown> = { ...entry?.value }
    if (c.flags.isSet('token') && c.flags.isSet('username')) {
      throw new Fault(
        'error: you cannot specify more than one authentication method at the same time: --token, --username/--password',
      )
    }
    if (c.flags.isSet('token')) {
      Object.assign(value, { token: c.flags.text('token') })
      for (const key of ['tokenFile', 'username', 'password']) delete value[key]
    }
    for (const key of ['username', 'password']) {
      if (!c.flags.isSet(key)) continue
      value[key] = c.flags.text(key)
      delete value.token
      delete value.tokenFile
    }
    setFile(c, value, 'client-certificate')
    setFile(c, value, 'client-key')
    setProvider(c, value)
    setExec(c, value)
    await changeEntry(fileFor(c, entry?.file), 'users', name, value)
    c.out(`User "${name}" set.\n`)
  },
}

function pairs(texts: readonly string[]): [string, string][] {
  return texts
    .filter((text) => text.includes('='))
    .map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)])
}

function setProvider(c: Context, value: Record<string, unknown>): void {
  const old = (memberOf(value, 'auth-provider') ?? {}) as { name?: string; config?: object }
  const name = c.flags.text('auth-provider')
  if (name !== '') value['auth-provider'] = { ...(old.name === name ? old : {}), name }
  const args = c.flags.list('auth-provider-arg')
  if (args.length === 0) return
  const provider = value['auth-provider'] as { config?: Record<string, string> } | undefined
  if (!provider) throw new Fault('error: --auth-provider-arg needs --auth-provider')
  const config: Record<string, string> = { ...provider.config, ...Object.fromEntries(pairs(args)) }
  for (const text of args)
    if (text.endsWith('-') && !text.includes('=')) delete config[text.slice(0, -1)]
  value['auth-provider'] = { ...provider, config }
}

function setExec(c: Context, value: Record<string, unknown>): void {
  const names = ['exec-command', 'exec-api-version', 'exec-arg', 'exec-env']
  if (!names.some((name) => c.flags.isSet(name))) return
  const exec: Record<string, unknown> = {
    interactiveMode: 'IfAvailable',
    ...(memberOf(value, 'exec') as object | undefined),
  }
  if (c.flags.isSet('exec-command')) exec.command = c.flags.text('exec-command')
  if (c.flags.isSet('exec-api-version')) exec.apiVersion = c.flags.text('exec-api-version')
  if (c.flags.isSet('exec-arg')) exec.args = [...c.flags.list('exec-arg')]
  if (c.flags.isSet('exec-env')) {
    const given = c.flags.list('exec-env')
    const removed = given.filter((one) => /^[^=]+-$/.test(one)).map((one) => one.slice(0, -1))
    const set = new Map(pairs(given.filter((one) => !/^[^=]+-$/.test(one))))
    const old = (Array.isArray(exec.env) ? exec.env : []) as { name: string; value: string }[]
    const kept = old.filter(({ name }) => !set.has(name) && !removed.includes(name))
    exec.env = [...kept, ...[...set].map(([name, text]) => ({ name, value: text }))]
  }
  value.exec = exec
}

/** A property such as `users.admin.token`: list, name and path. */
function property(name: string): { readonly parts: readonly string[] } {
  const parts = (name.match(/(?:\\.|[^.])+/g) ?? []).map((part) => part.replaceAll(/\\(.)/g, '$1'))
  if (parts.length === 0) throw new Fault('error: a property name is required')
  return { parts }
}

const isList = (text: string): text is ConfigList =>
  ['clusters', 'contexts', 'users'].includes(text)

async function changeProperty(c: Context, name: string, text: string | null): Promise<void> {
  const { parts } = property(name)
  const [first = '', entryName = '', ...path] = parts
  const config = await merged(c)
  if (!isList(first)) {
    if (
      parts.length !== 1 ||
      !['current-context', 'kind', 'apiVersion', 'preferences'].includes(first)
    )
      throw new Fault(`error: there is no property ${name}`)
    return changeFile(
      fileFor(
        c,
        first === 'current-context' ? fileWithCurrent(config.documents ?? new Map()) : undefined,
      ),
      (document) => ({
        ...document,
        [first]: text ?? (first === 'current-context' ? '' : {}),
      }),
    )
  }
  const entry = config[first].get(entryName)
  if (text === null && !entry) {
    if (path.length === 0) return
    throw new Fault(`error: current map key \`${entryName}\` is invalid`)
  }
  if (path.length === 0) {
    if (text !== null) throw new Fault("error: can't set a map to a value")
    return changeEntry(entry!.file, first, entryName, null)
  }
  const value = changedAt(
    entry?.value ?? {},
    path,
    text === null ? null : typed(path.at(-1)!, text),
  )
  await changeEntry(fileFor(c, entry?.file), first, entryName, value)
}

const typed = (key: string, text: string): unknown =>
  key === 'insecure-skip-tls-verify' || key === 'provideClusterInfo' ? text === 'true' : text

function changedAt(map: ConfigMap, path: readonly string[], value: unknown): ConfigMap {
  const [key = '', ...rest] = path
  if (rest.length > 0) {
    const inner = memberOf(map, key) ?? {}
    return { ...map, [key]: changedAt(mapOf(inner, key), rest, value) }
  }
  const { [key]: _, ...others } = map
  return value === null ? others : { ...others, [key]: value }
}

export const set: Command = {
  use: 'PROPERTY_NAME PROPERTY_VALUE',
  text: 'Sets a value of the configuration, by a name such as users.admin.token.',
  examples: [['The server of a cluster', 'config set clusters.staging.server https://1.2.3.4']],
  flags: {
    'set-raw-bytes': {
      type: 'bool',
      help: 'When writing a []byte PROPERTY_VALUE, write the given string directly without base64 decoding.',
    },
  },
  async run(c) {
    const [name = '', text = ''] = c.args
    if (c.args.length !== 2) throw c.misuse('you must specify a property and a value')
    const isBytes = name.endsWith('-data') && c.flags.is('set-raw-bytes')
    await changeProperty(c, name, isBytes ? Buffer.from(text).toString('base64') : text)
    c.out(`Property "${name}" set.\n`)
  },
}

export const unset: Command = {
  use: 'PROPERTY_NAME',
  text: 'Removes a value of the configuration.',
  examples: [['The current context', 'config unset current-context']],
  async run(c) {
    const [name = ''] = c.args
    if (c.args.length !== 1) throw c.misuse('you must specify a property')
    await changeProperty(c, name, null)
    c.out(`Property "${name}" unset.\n`)
  },
}

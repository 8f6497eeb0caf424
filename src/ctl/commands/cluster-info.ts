/** cluster-info: shows where the server and the services of the system are. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ServiceObject } from '../api/kind-types.ts'
import { readAll, type LiveObject } from '../api/find-objects.ts'
import { findResource } from '../api/resources.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { printerOf } from '../print/output.ts'

const green = (c: Context, text: string) =>
  c.io.isTerminal ? `\u001B[0;32m${text}\u001B[0m` : text
const yellow = (c: Context, text: string) =>
  c.io.isTerminal ? `\u001B[0;33m${text}\u001B[0m` : text

export const clusterInfo: Command = {
  use: '[flags]',
  text: 'Shows the addresses of the control plane and of services with the label {label}/cluster-service=true.',
  async run(c) {
    const v = await c.words()
    const api = await c.api()
    const origin = api.server.href.replace(/\/$/, '')
    const line = (name: string, url: string) =>
      c.out(`${green(c, name)} is running at ${yellow(c, url)}\n`)
    line(`${v.words.Brand} control plane`, origin)
    const services = await readAll(
      c,
      {
        of: await findResource(await c.discovery(), 'services'),
        namespace: v.resolve('{system}-system'),
        name: '',
      },
      { labelSelector: v.resolve('{label}/cluster-service=true') },
    )
    for (const service of services as unknown as ServiceObject[]) {
      const { name = '', namespace = '', labels = {} } = service.metadata ?? {}
      const port = service.spec?.ports?.[0]
      const scheme = port?.name === 'https' || port?.port === 443 ? 'https:' : ''
      const link = `${origin}/api/v1/namespaces/${namespace}/services/${scheme}${name}${port?.name ? `:${port.name}` : scheme === '' ? '' : ':'}/proxy`
      line(labels[v.resolve('{label}/name')] ?? name, link)
    }
    c.out(
      `\nTo further debug and diagnose cluster problems, use '${c.program} cluster-info dump'.\n`,
    )
  },
}

const DUMPED = [
  'events',
  'replicationcontrollers',
  'services',
  'daemonsets.apps',
  'deployments.apps',
  'replicasets.apps',
  'pods',
]

export const clusterInfoDump: Command = {
  use: '[flags]',
  text: 'Shows much of the state of the cluster, for debugging: nodes, and events, services, workloads and pods of namespaces.',
  flags: {
    'all-namespaces': { type: 'bool', short: 'A', help: 'If true, dump all namespaces.' },
    namespaces: { type: 'list', help: 'A comma separated list of namespaces to dump.' },
    output: {
      type: 'text',
      short: 'o',
      default: 'json',
      help: 'Output format. One of: (json, yaml).',
    },
    'output-directory': {
      type: 'text',
      help: "Where to output the files. If empty or '-' uses stdout, otherwise creates a directory hierarchy in that directory.",
    },
    'show-managed-fields': { type: 'bool', help: 'If true, keep the managedFields.' },
  },
  async run(c) {
    const discovery = await c.discovery()
    const v = await c.words()
    const save = await saver(c)
    const nodes = await readAll(c, {
      of: await findResource(discovery, 'nodes'),
      namespace: '',
      name: '',
    })
    await save('', 'nodes', nodes)
    for (const namespace of await namespacesOf(c, v.resolve('{system}-system'))) {
      for (const word of DUMPED) {
        const of = await findResource(discovery, word)
        await save(namespace, of.name, await readAll(c, { of, namespace, name: '' }))
      }
    }
    const folder = c.flags.text('output-directory')
    if (folder !== '' && folder !== '-') c.out(`Cluster info dumped to ${folder}\n`)
  },
}

async function namespacesOf(c: Context, system: string): Promise<string[]> {
  const named = c.flags.list('namespaces')
  if (named.length > 0) return [...named]
  if (!c.flags.is('all-namespaces')) return [system, (await c.namespace()).name]
  const of = await findResource(await c.discovery(), 'namespaces')
  const all = await readAll(c, { of, namespace: '', name: '' })
  return all.map(({ metadata }) => metadata.name ?? '')
}

async function saver(c: Context) {
  const name = c.flags.text('output')
  const print = await printerOf(c, { name, template: '' })
  const folder = c.flags.text('output-directory')
  return async (namespace: string, file: string, items: LiveObject[]): Promise<void> => {
    const text = await print({ apiVersion: 'v1', kind: 'List', items })
    if (folder === '' || folder === '-') return c.out(text)
    const place = join(resolve(c.io.cwd, folder), namespace)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, `${file}.${name}`), text)
  }
}

/** apply: makes objects as files describe them. */
import { readObjects, type FileObject } from '../api/builder.ts'
import { labelMatcher } from '../api/labels.ts'
import {
  Done,
  dryRunOf,
  fileFlags,
  requireFiles,
  validateFlag,
  writeFlags,
  writeQuery,
  type DryRun,
} from '../api/writing.ts'
import type { Applied } from '../apply/apply-client.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault, throwAll, UsageFault } from '../base/faults.ts'

export const apply: Command = {
  use: '-f FILENAME [flags]',
  text: 'Applies a configuration to objects from files or standard input. Objects that do not exist yet are created. Objects are recorded in an annotation, or with --server-side by the server.',
  examples: [
    ['Apply the objects of a file', 'apply -f pod.json'],
    ['Apply those of standard input', 'apply -f -'],
    ['Delete what is labeled and not in the file', 'apply --prune -f manifest.yaml -l app=web'],
  ],
  flags: {
    ...writeFlags,
    ...fileFlags,
    ...validateFlag,
    all: {
      type: 'bool',
      help: 'Select all resources in the namespace of the specified resource types.',
    },
    cascade: {
      type: 'text',
      default: 'background',
      bare: 'background',
      help: 'Must be "background", "orphan", or "foreground". Selects the deletion cascading strategy for the dependents.',
    },
    force: {
      type: 'bool',
      help: 'If true, immediately remove resources from API and bypass graceful deletion when a patch is refused.',
    },
    'force-conflicts': {
      type: 'bool',
      help: 'If true, server-side apply will force the changes against conflicts.',
    },
    'grace-period': {
      type: 'int',
      default: '-1',
      help: 'Period of time in seconds given to the resource to terminate gracefully.',
    },
    'openapi-patch': {
      type: 'bool',
      default: 'true',
      help: 'Accepted for compatibility.',
      isHidden: true,
    },
    overwrite: {
      type: 'bool',
      default: 'true',
      help: 'Automatically resolve conflicts between the modified and live configuration by using values from the modified configuration',
    },
    prune: {
      type: 'bool',
      help: 'Automatically delete resource objects, that do not appear in the configs and are created by apply. Should be used with either -l or --all.',
    },
    'prune-whitelist': {
      type: 'array',
      help: 'Overwrite the default whitelist with <group/version/kind> for --prune',
    },
    selector: { type: 'text', short: 'l', help: 'Selector (label query) to filter on.' },
    'server-side': {
      type: 'bool',
      help: 'If true, apply runs in the server instead of the client.',
    },
    timeout: {
      type: 'duration',
      default: '0',
      help: 'The length of time to wait before giving up on a delete.',
    },
    wait: { type: 'bool', help: 'If true, wait for resources to be gone before returning.' },
  },
  async run(c) {
    if (c.args.length > 0) throw new UsageFault(`Unexpected args: [${c.args.join(' ')}]`)
    requireFiles(c)
    checkFlags(c)
    const dryRun = dryRunOf(c)
    const done = await Done.of(c)
    const matches = labelMatcher(c.flags.text('selector'))
    const pruning = c.flags.is('prune') ? await import('../apply/prune.ts') : null
    await pruning?.checkPrunable(c)
    const items = (await readObjects(c)).filter(({ object }) =>
      matches(object.metadata.labels ?? {}),
    )
    if (items.length === 0) throw new Fault('error: no objects passed to apply')
    const query = await queryOf(c)
    const errors: unknown[] = []
    const visited = { uids: new Set<string>(), namespaces: new Set<string>() }
    for (const item of items) {
      try {
        const { object, what } = await applied(c, item, { dryRun, query })
        visited.uids.add(object.metadata?.uid ?? '')
        if (item.of.namespaced) visited.namespaces.add(item.namespace)
        await done.say(object, what)
      } catch (error) {
        errors.push(error)
      }
    }
    throwAll(errors)
    await pruning?.prune(c, visited, { done, dryRun })
  },
}

function checkFlags(c: Context): void {
  const { flags } = c
  if (flags.is('force-conflicts') && !flags.is('server-side')) {
    throw new Fault('error: --force-conflicts only works with --server-side')
  }
  if (dryRunOf(c) === 'client' && flags.is('server-side')) {
    throw new Fault(
      "error: --dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
    )
  }
  if (flags.is('force') && flags.is('server-side')) {
    throw new Fault('error: --force cannot be used with --server-side')
  }
  if (flags.is('prune') && !flags.is('all') && flags.text('selector') === '') {
    throw new Fault(
      'error: all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector',
    )
  }
}

async function queryOf(c: Context): Promise<Record<string, string>> {
  const query = await writeQuery(c, 'client-side-apply')
  if (!c.flags.is('server-side')) return query
  const manager = c.flags.text('field-manager') || (await c.words()).words.cli
  return { ...query, fieldManager: manager }
}

async function applied(
  c: Context,
  item: FileObject,
  options: { readonly dryRun: DryRun; readonly query: Readonly<Record<string, string>> },
): Promise<Applied> {
  if (item.object.metadata.name === undefined) {
    const generated = item.object.metadata.generateName
    if (generated !== undefined) {
      throw new Error(`from ${generated}: cannot use generate name with apply`)
    }
    throw new Fault('error: resource name may not be empty')
  }
  if (c.flags.is('server-side')) {
    const { applyServer } = await import('../apply/apply-server.ts')
    return applyServer(c, item, options.query)
  }
  const { applyClient } = await import('../apply/apply-client.ts')
  return applyClient(c, item, options)
}

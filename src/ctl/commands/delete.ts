/** delete: deletes objects by file, name, selector or all of a type, and waits until they are gone. */
import { deleteOne, policyOf, untilGone } from '../api/deleting.ts'
import { manyFlags, readAll, selectorQuery } from '../api/find-objects.ts'
import { qualifiedName, singularName } from '../api/resources.ts'
import { findSelected, NOTHING_NAMED, type Selected } from '../api/selection.ts'
import { dryRunFlag, dryRunOf } from '../api/writing.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault, throwAll } from '../base/faults.ts'
import { StatusError } from '../../meta/errors.ts'

export const deleteCommand: Command = {
  use: '([-f FILENAME] | TYPE [(NAME | -l label | --all)]) [flags]',
  text: 'Deletes objects by files, names, selectors or all of a type, and waits until they are gone.',
  examples: [
    ['What a file describes', 'delete -f ./pod.json'],
    ['Two objects of one name', 'delete pod,service web'],
    ['Objects with a label', 'delete pods,services -l name=web'],
    ['All pods of the namespace', 'delete pods --all'],
  ],
  flags: {
    ...manyFlags,
    ...dryRunFlag,
    cascade: {
      type: 'text',
      default: 'background',
      bare: 'background',
      help: 'Must be "background", "orphan", or "foreground". Selects the deletion cascading strategy for the dependents.',
    },
    force: {
      type: 'bool',
      help: 'If true, immediately remove resources from API and bypass graceful deletion.',
    },
    'grace-period': {
      type: 'int',
      default: '-1',
      help: 'Period of time in seconds given to the resource to terminate gracefully. Ignored if negative.',
    },
    'ignore-not-found': {
      type: 'bool',
      help: 'Treat "resource not found" as a successful delete.',
    },
    now: {
      type: 'bool',
      help: 'If true, resources are signaled for immediate shutdown (same as --grace-period=1).',
    },
    output: {
      type: 'text',
      short: 'o',
      help: 'Output mode. Use "-o name" for shorter output (resource/name).',
    },
    raw: { type: 'text', help: 'Raw URI to DELETE to the server.' },
    timeout: {
      type: 'duration',
      default: '0',
      help: 'The length of time to wait before giving up on a delete, zero means determine a timeout from the size of the object',
    },
    wait: {
      type: 'bool',
      default: 'true',
      help: 'If true, wait for resources to be gone before returning.',
    },
  },
  async run(c) {
    if (c.flags.isSet('raw')) {
      const api = await c.api()
      return c.out(await api.text({ method: 'DELETE', path: c.flags.text('raw') }))
    }
    const output = c.flags.text('output')
    if (output !== '' && output !== 'name') {
      throw new Fault(`error: unexpected -o output mode: ${output}. We only support '-o name'`)
    }
    const grace = graceOf(c)
    policyOf(c.flags.text('cascade'))
    await removeAll(c, await targets(c), grace)
  },
}

function graceOf(c: Context): number {
  let grace = c.flags.int('grace-period')
  if (c.flags.is('now')) {
    if (grace !== -1)
      throw new Fault('error: --now and --grace-period cannot be specified together')
    grace = 1
  }
  if (grace === 0 && !c.flags.is('force')) {
    // The object must stay until its agent has confirmed the end.
    return 1
  }
  if (c.flags.is('force') && grace < 0) grace = 0
  if (c.flags.is('force') && grace > 0) {
    throw new Fault('error: --force and --grace-period greater than 0 cannot be specified together')
  }
  if (c.flags.is('force')) {
    c.err(
      'Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n',
    )
  }
  return grace
}

async function targets(c: Context): Promise<Selected[]> {
  const query = selectorQuery(c)
  const isMany =
    c.flags.is('all') || query.labelSelector !== undefined || query.fieldSelector !== undefined
  if (c.flags.is('all') && query.labelSelector !== undefined) {
    throw new Fault("error: setting 'all' parameter but found a non empty selector. ")
  }
  if (c.args.length === 0 && c.flags.list('filename').length === 0) {
    if (isMany) throw new Fault('error: at least one resource must be specified to use a selector')
    throw new Fault(NOTHING_NAMED)
  }
  const found: Selected[] = []
  for (const one of await findSelected(c)) {
    if (one.name !== '') {
      found.push(one)
      continue
    }
    if (!isMany) throw new Fault('error: resource(s) were provided, but no name was specified')
    for (const { metadata } of await readAll(c, one, query)) {
      const { name = '', namespace = '' } = metadata
      found.push({ of: one.of, namespace: one.of.namespaced ? namespace : '', name })
    }
  }
  return found
}

async function removeAll(c: Context, found: readonly Selected[], grace: number): Promise<void> {
  const dryRun = dryRunOf(c)
  const isIgnored = c.flags.is('ignore-not-found') || (c.args.length > 0 && c.flags.is('all'))
  const waiting: { what: Selected; uid: string }[] = []
  const errors: unknown[] = []
  const namespace = await c.namespace()
  if (namespace.isExplicit && found.some(({ of }) => !of.namespaced)) {
    c.err('Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n')
  }
  const verb = c.flags.is('force') && grace === 0 ? 'force deleted' : 'deleted'
  const suffix = { none: '', client: ' (dry run)', server: ' (server dry run)' }[dryRun]
  let deleted = 0
  for (const what of found) {
    try {
      const how = {
        graceSeconds: grace,
        cascade: c.flags.text('cascade'),
        isDryRun: dryRun === 'server',
      }
      if (dryRun === 'client') await (await import('../api/find-objects.ts')).readOne(c, what)
      else waiting.push({ what, uid: await deleteOne(c, what, how) })
      deleted++
      c.out(
        c.flags.text('output') === 'name'
          ? `${singularName(what.of)}/${what.name}\n`
          : `${singularName(what.of)} "${what.name}" ${verb}${suffix}\n`,
      )
    } catch (error) {
      const isGone = error instanceof StatusError && error.reason === 'NotFound'
      if (!isGone || !isIgnored) errors.push(error)
    }
  }
  throwAll(errors)
  if (deleted === 0 && !c.flags.is('ignore-not-found')) c.out('No resources found\n')
  if (dryRun !== 'none' || !c.flags.is('wait')) return
  const timeoutMs = c.flags.duration('timeout')
  for (const { what, uid } of waiting) {
    try {
      await untilGone(c, what, { uid, timeoutMs })
    } catch (error) {
      errors.push(
        error instanceof Error && error.message.startsWith('timed out')
          ? new Fault(
              `error: timed out waiting for the condition on ${qualifiedName(what.of)}/${what.name}`,
            )
          : error,
      )
    }
  }
  throwAll(errors)
}

/** replace: puts the objects of files in the place of those that exist. */
import type { ApiObject } from '../../client/transport.ts'
import { StatusError } from '../../meta/errors.ts'
import { readObjects, sendRaw, type FileObject } from '../api/builder.ts'
import { deleteOne, untilGone } from '../api/deleting.ts'
import { readOne } from '../api/find-objects.ts'
import { lastApplied, withLastApplied } from '../api/last-applied.ts'
import { resourcePath, singularName } from '../api/resources.ts'
import {
  create,
  Done,
  dryRunOf,
  fileFlags,
  forEach,
  fromSource,
  requireFiles,
  validateFlag,
  writeFlags,
  writeQuery,
} from '../api/writing.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'

export const replace: Command = {
  use: '-f FILENAME [flags]',
  text: 'Replaces objects with those of files. A resourceVersion in the file must still be the current one.',
  examples: [
    ['From a file', 'replace -f ./pod.json'],
    ['Delete and create again', 'replace --force -f ./pod.json'],
  ],
  flags: {
    ...writeFlags,
    ...fileFlags,
    ...validateFlag,
    cascade: {
      type: 'text',
      default: 'background',
      bare: 'background',
      help: 'Must be "background", "orphan", or "foreground". For --force.',
    },
    force: {
      type: 'bool',
      help: 'If true, immediately remove resources from API and bypass graceful deletion, and create them again.',
    },
    'grace-period': {
      type: 'int',
      default: '-1',
      help: 'Period of time in seconds given to the resource to terminate gracefully. For --force.',
    },
    raw: { type: 'text', help: 'Raw URI to PUT to the server. Uses the content of the file.' },
    'save-config': {
      type: 'bool',
      help: 'If true, the configuration of the object is saved in its annotation.',
    },
    subresource: {
      type: 'text',
      help: 'If specified, replaces the subresource of the requested object. One of: (status, scale).',
    },
    timeout: {
      type: 'duration',
      default: '0',
      help: 'The length of time to wait before giving up on a delete.',
    },
    wait: { type: 'bool', help: 'If true, wait for resources to be gone before returning.' },
  },
  async run(c) {
    requireFiles(c)
    if (c.flags.isSet('raw')) return sendRaw(c, 'PUT')
    const done = await Done.of(c)
    const items = await readObjects(c)
    if (items.length === 0) throw new Fault('error: no objects passed to replace')
    if (c.flags.is('force')) return forced(c, items, done)
    const key = lastApplied(await c.words())
    const query = await writeQuery(c, 'replace')
    const sub = c.flags.text('subresource')
    await forEach(items, async (item) => {
      const { of, namespace, source } = item
      const isSaved = c.flags.is('save-config') || hasConfig(item.object, key)
      const object = isSaved ? withLastApplied(item.object, key) : item.object
      if (dryRunOf(c) === 'client') return done.say(object, 'replaced')
      try {
        const current = object.metadata.resourceVersion ?? (await versionOf(c, item))
        const body = { ...object, metadata: { ...object.metadata, resourceVersion: current } }
        const path =
          resourcePath(of, namespace, object.metadata.name ?? '') + (sub === '' ? '' : `/${sub}`)
        const api = await c.api()
        await done.say(await api.json<ApiObject>({ method: 'PUT', path, query, body }), 'replaced')
      } catch (error) {
        throw fromSource(error, 'replacing', source)
      }
    })
  },
}

const hasConfig = (object: ApiObject, key: string): boolean =>
  Object.hasOwn(object.metadata?.annotations ?? {}, key)

async function versionOf(c: Context, { of, namespace, object }: FileObject): Promise<string> {
  const live = await readOne(c, { of, namespace, name: object.metadata.name ?? '' })
  return live.metadata.resourceVersion ?? ''
}

async function forced(c: Context, items: readonly FileObject[], done: Done): Promise<void> {
  if (dryRunOf(c) !== 'none')
    throw new Fault('error: --dry-run can not be used when --force is set')
  const query = await writeQuery(c, 'replace')
  await forEach(items, async ({ of, namespace, object, source }) => {
    const what = { of, namespace, name: object.metadata.name ?? '' }
    const grace = c.flags.int('grace-period')
    try {
      const how = {
        graceSeconds: grace < 0 ? 0 : grace,
        cascade: c.flags.text('cascade'),
        isDryRun: false,
      }
      const uid = await deleteOne(c, what, how)
      c.out(`${singularName(of)} "${what.name}" deleted\n`)
      await untilGone(c, what, { uid, timeoutMs: c.flags.duration('timeout') || 300_000 })
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== 'NotFound') throw error
    }
    const { resourceVersion: _, ...metadata } = object.metadata
    try {
      await done.say(await create(c, of, { ...object, metadata }, query), 'replaced')
    } catch (error) {
      throw fromSource(error, 'creating', source)
    }
  })
}

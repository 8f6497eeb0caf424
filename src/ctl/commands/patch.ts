/** patch: changes fields of objects with a patch. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ApiObject } from '../../client/transport.ts'
import { parseYaml } from '../../codec/yaml.ts'
import { sameJson } from '../../patch/json-value.ts'
import { readOne } from '../api/find-objects.ts'
import { resourcePath } from '../api/resources.ts'
import { findSelected } from '../api/selection.ts'
import { Done, dryRunOf, fileFlags, forEach, writeFlags, writeQuery } from '../api/writing.ts'
import { patchedLocally } from '../apply/apply-client.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

export const patch: Command = {
  use: '(-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE] [flags]',
  text: 'Changes fields of objects with a strategic merge patch, a JSON merge patch or a JSON patch, in JSON or YAML.',
  examples: [
    ['With a strategic merge patch', `patch node worker-1 -p '{"spec":{"unschedulable":true}}'`],
    [
      'With a JSON patch',
      `patch pod web --type=json -p '[{"op":"remove","path":"/metadata/labels/a"}]'`,
    ],
    [
      'A sub-resource',
      `patch deployment web --subresource=scale --type=merge -p '{"spec":{"replicas":2}}'`,
    ],
  ],
  flags: {
    ...writeFlags,
    ...fileFlags,
    local: {
      type: 'bool',
      help: 'If true, patch will operate on the content of the file, not the server-side resource.',
    },
    patch: { type: 'text', short: 'p', help: 'The patch to be applied to the resource JSON file.' },
    'patch-file': {
      type: 'text',
      help: 'A file containing a patch to be applied to the resource.',
    },
    subresource: {
      type: 'text',
      help: 'If specified, patches the subresource of the requested object. One of: (status, scale).',
    },
    type: {
      type: 'text',
      default: 'strategic',
      help: 'The type of patch being provided; one of [json merge strategic]',
    },
  },
  async run(c) {
    const name = c.flags.text('type')
    const type = Object.hasOwn(TYPES, name) ? TYPES[name]! : null
    if (type === null) {
      throw new Fault(
        `error: --type must be one of [json merge strategic], not ${JSON.stringify(name)}`,
      )
    }
    const sub = c.flags.text('subresource')
    if (sub !== '' && sub !== 'status' && sub !== 'scale')
      throw new Fault(
        `error: invalid subresource value: ${JSON.stringify(sub)}. Must be one of [status scale]`,
      )
    const body = await patchOf(c)
    const dryRun = dryRunOf(c)
    const done = await Done.of(c)
    if (c.flags.is('local')) return local(c, body, { type, done })
    const selected = await findSelected(c)
    if (selected.some(({ name }) => name === ''))
      throw new Fault('error: resource(s) were provided, but no name was specified')
    const query = await writeQuery(c, 'patch')
    await forEach(selected, async (one) => {
      const live = await readOne(c, one, sub)
      const api = await c.api()
      const object =
        dryRun === 'client'
          ? await changed(c, live, body, type)
          : await api.json<ApiObject>({
              method: 'PATCH',
              path: resourcePath(one.of, one.namespace, one.name) + (sub === '' ? '' : `/${sub}`),
              query,
              body,
              type,
            })
      const isSame = sameJson(unmanaged(live), unmanaged(object))
      await done.say(object, isSame ? 'patched (no change)' : 'patched')
    })
  },
}

async function patchOf(c: Context): Promise<unknown> {
  const [inline, file] = [c.flags.text('patch'), c.flags.text('patch-file')]
  if ((inline === '') === (file === '')) {
    throw new Fault(
      inline === ''
        ? 'error: must specify --patch or --patch-file containing the contents of the patch'
        : 'error: cannot specify --patch and --patch-file together',
    )
  }
  try {
    return await parseYaml(inline === '' ? readFileSync(resolve(c.io.cwd, file), 'utf8') : inline)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : ''
    const isAbsent = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw new Fault(
      inline === ''
        ? `error: unable to read patch file: ${isAbsent ? `open ${file}: no such file or directory` : why}`
        : `error: unable to parse "${inline}": ${why.replace('error converting YAML to JSON: ', '')}`,
    )
  }
}

const unmanaged = ({ metadata, ...others }: ApiObject): unknown => {
  const { managedFields: _, ...rest } = metadata ?? {}
  return { ...others, metadata: rest }
}

async function changed(
  c: Context,
  live: ApiObject,
  body: unknown,
  type: string,
): Promise<ApiObject> {
  if (type !== TYPES.json)
    return patchedLocally(c, live, { patch: body as Record<string, unknown>, type })
  const { applyJsonPatch } = await import('../../patch/json-patch.ts')
  return applyJsonPatch(live, body) as ApiObject
}

async function local(
  c: Context,
  body: unknown,
  { type, done }: { readonly type: string; readonly done: Done },
): Promise<void> {
  const { readObjects } = await import('../api/builder.ts')
  for (const { object } of await readObjects(c)) {
    await done.say(await changed(c, object, body, type), 'patched')
  }
}

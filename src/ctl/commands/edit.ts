/** edit: opens live objects in the editor of the user and sends what changed. */
import type { ApiObject } from '../../client/transport.ts'
import { parseYaml, toYaml } from '../../codec/yaml.ts'
import { sameJson, type JsonObject } from '../../patch/json-value.ts'
import { shapeOf } from '../api/declarations.ts'
import { findObjects, manyFlags, type Found } from '../api/find-objects.ts'
import { resourcePath } from '../api/resources.ts'
import { Done, managerFlag, validateFlag, writeQuery } from '../api/writing.ts'
import { mergePatch, strategicPatch } from '../apply/three-way.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault, SilentExit } from '../base/faults.ts'
import { edited } from '../edit/editor.ts'
import { jsonText, outputFlags } from '../print/output.ts'
import { messageOf } from '../base/failure-text.ts'

const HEAD = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`

export const edit: Command = {
  use: '(RESOURCE/NAME | -f FILENAME) [flags]',
  text: 'Opens live objects in an editor and sends what was changed. The editor is the one that the environment names, vi by default.',
  examples: [
    ['A service', 'edit service/web'],
    ['With another editor', 'edit configmap settings -o json'],
  ],
  flags: {
    ...outputFlags,
    ...manyFlags,
    ...managerFlag,
    ...validateFlag,
    'output-patch': { type: 'bool', help: 'Output the patch if the resource is edited.' },
    'save-config': { type: 'bool', help: 'Accepted for compatibility.', isHidden: true },
    subresource: {
      type: 'text',
      help: 'If specified, edits the subresource of the requested object. One of: (status).',
    },
    'windows-line-endings': { type: 'bool', help: 'Accepted for compatibility.', isHidden: true },
  },
  async run(c) {
    const output = c.flags.text('output')
    if (output !== '' && output !== 'json' && output !== 'yaml')
      throw new Fault(
        `error: unable to match a printer suitable for the output format ${JSON.stringify(output)}, allowed formats are: json,yaml`,
      )
    const found = await findObjects(c)
    for (const one of found) await editOne(c, one)
  },
}

async function editOne(c: Context, one: Found): Promise<void> {
  const isJson = c.flags.text('output') === 'json'
  const { managedFields: _, ...metadata } = one.object.metadata
  const live: ApiObject = c.flags.is('show-managed-fields')
    ? one.object
    : { ...one.object, metadata }
  const before = isJson ? `${jsonText(live)}\n` : await toYaml(live)
  let text = HEAD + before
  let reason = ''
  for (;;) {
    const after = await edited(
      reason === '' ? text : `${reason}${text.replace(HEAD, '')}`,
      isJson ? '.json' : '.yaml',
      c.io,
    )
    const plain = withoutComments(after)
    if (plain.trim() === '') return c.err('Edit cancelled, saved file was empty.\n')
    if (
      plain === withoutComments(HEAD + before) ||
      (reason !== '' && plain === withoutComments(text))
    ) {
      if (reason === '') return c.err('Edit cancelled, no changes made.\n')
      c.err(reason.replaceAll(/^# ?/gm, ''))
      throw new SilentExit(1)
    }
    try {
      return await send(c, one, { live, next: (await parseYaml(plain)) as ApiObject })
    } catch (error) {
      reason = `${HEAD.trimEnd()} ${messageOf(error).split('\n').join('\n# ')}\n#\n`
      text = HEAD + plain
    }
  }
}

const withoutComments = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')

async function send(
  c: Context,
  { of, namespace, name }: Found,
  { live, next }: { readonly live: ApiObject; readonly next: ApiObject },
): Promise<void> {
  if (next.metadata?.name !== live.metadata?.name || next.kind !== live.kind) {
    throw new Fault('error: At least one of apiVersion, kind and name was changed')
  }
  if (sameJson(live, next)) return c.err('Edit cancelled, no changes made.\n')
  const v = await c.words()
  const shape = await shapeOf(live.apiVersion ?? '', live.kind ?? '', v)
  const states = { original: live, modified: next, current: live } as {
    original: JsonObject
    modified: JsonObject
    current: JsonObject
  }
  const body = shape ? strategicPatch(shape, states, v) : mergePatch(states)
  if (c.flags.is('output-patch')) c.out(`Patch: ${JSON.stringify(body)}\n`)
  const sub = c.flags.text('subresource')
  const api = await c.api()
  const object = await api.json<ApiObject>({
    method: 'PATCH',
    path: resourcePath(of, namespace, name) + (sub === '' ? '' : `/${sub}`),
    query: await writeQuery(c, 'edit'),
    body,
    type: shape ? 'application/strategic-merge-patch+json' : 'application/merge-patch+json',
  })
  const done = await Done.of(c)
  await done.say(object, 'edited')
}

/** create: creates the objects of files. Its sub-commands create one object from flags. */
import { readObjects, sendRaw } from '../api/builder.ts'
import { lastApplied, withLastApplied } from '../api/last-applied.ts'
import {
  create as send,
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
import { Fault } from '../base/faults.ts'

export const create: Command = {
  use: '-f FILENAME [flags]',
  text: 'Creates objects from files, folders, URLs on https or standard input, in JSON or YAML.',
  examples: [
    ['From a file', 'create -f pod.json'],
    ['From standard input', 'create -f -'],
  ],
  flags: {
    ...writeFlags,
    ...fileFlags,
    ...validateFlag,
    edit: { type: 'bool', help: 'Edit the API resource before creating.' },
    raw: { type: 'text', help: 'Raw URI to POST to the server. Uses the content of the file.' },
    'save-config': {
      type: 'bool',
      help: 'If true, the configuration of the object is saved in its annotation, for a later apply.',
    },
    selector: { type: 'text', short: 'l', help: 'Selector (label query) to filter on.' },
    'windows-line-endings': {
      type: 'bool',
      help: 'Only relevant if --edit=true. Defaults to the line ending native to your platform.',
      isHidden: true,
    },
  },
  async run(c) {
    if (c.args.length > 0) {
      c.err('Error: must specify one of -f and -k\n\n')
      throw c.misuse(`unknown command ${JSON.stringify(c.args[0])}`)
    }
    requireFiles(c)
    if (c.flags.isSet('raw')) return sendRaw(c, 'POST')
    if (c.flags.is('edit')) {
      const { createEdited } = await import('../edit/create-edited.ts')
      return createEdited(c)
    }
    const dryRun = dryRunOf(c)
    const done = await Done.of(c)
    const { matches } = await selectorOf(c.flags.text('selector'))
    const items = (await readObjects(c)).filter(({ object }) =>
      matches(object.metadata.labels ?? {}),
    )
    if (items.length === 0) throw new Fault('error: no objects passed to create')
    const key = lastApplied(await c.words())
    const query = await writeQuery(c, 'create')
    await forEach(items, async ({ object, of, source }) => {
      const sent = c.flags.is('save-config') ? withLastApplied(object, key) : object
      if (dryRun === 'client') return done.say(sent, 'created')
      try {
        await done.say(await send(c, of, sent, query), 'created')
      } catch (error) {
        throw fromSource(error, 'creating', source)
      }
    })
  },
}

async function selectorOf(text: string) {
  const { labelMatcher } = await import('../api/labels.ts')
  return { matches: labelMatcher(text) }
}

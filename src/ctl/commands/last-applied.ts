/** apply view-last-applied, set-last-applied, edit-last-applied; plugin list; options. */
import type { ApiObject } from '../../client/transport.ts'
import { parseJson } from '../../codec/json-text.ts'
import { parseYaml, toYaml } from '../../codec/yaml.ts'
import { readObjects } from '../api/builder.ts'
import { findObjects, manyFlags, readOne } from '../api/find-objects.ts'
import { lastApplied, lastAppliedText } from '../api/last-applied.ts'
import { resourcePath } from '../api/resources.ts'
import { Done, dryRunOf, fileFlags, forEach, requireFiles, writeFlags } from '../api/writing.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import { edited } from '../edit/editor.ts'
import { globalHelp } from '../base/flag-help.ts'
import { allPlugins } from '../plugins.ts'

async function configurationOf(c: Context, object: ApiObject): Promise<ApiObject> {
  const text = object.metadata?.annotations?.[lastApplied(await c.words())]
  if (text === undefined)
    throw new Fault(
      `error: no last-applied-configuration annotation found on resource: ${object.metadata?.name}`,
    )
  return parseJson(text) as ApiObject
}

export const viewLastApplied: Command = {
  use: '(TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)',
  text: 'Shows the configuration that was applied last.',
  flags: {
    ...manyFlags,
    output: {
      type: 'text',
      short: 'o',
      default: 'yaml',
      help: 'Output format. Must be one of (yaml, json)',
    },
  },
  async run(c) {
    const output = c.flags.text('output')
    if (output !== 'yaml' && output !== 'json')
      throw c.misuse(
        `Unexpected -o output mode: ${output}, the flag 'output' must be one of yaml|json`,
      )
    for (const { object } of await findObjects(c)) {
      const configuration = await configurationOf(c, object)
      c.out(
        output === 'json'
          ? `${JSON.stringify(configuration, null, 2)}\n`
          : await toYaml(configuration),
      )
    }
  },
}

async function setAnnotation(c: Context, path: string, configured: ApiObject): Promise<ApiObject> {
  const key = lastApplied(await c.words())
  const text = lastAppliedText(configured, key)
  return (await c.api()).json<ApiObject>({
    method: 'PATCH',
    path,
    query: dryRunOf(c) === 'server' ? { dryRun: 'All' } : {},
    body: { metadata: { annotations: { [key]: text } } },
    type: 'application/merge-patch+json',
  })
}

export const setLastApplied: Command = {
  use: '-f FILENAME',
  text: 'Sets the configuration that was applied last to that of a file, and changes nothing else.',
  flags: {
    ...writeFlags,
    ...fileFlags,
    'create-annotation': {
      type: 'bool',
      help: "Will create 'last-applied-configuration' annotations if current objects doesn't have one",
    },
  },
  async run(c) {
    requireFiles(c)
    const done = await Done.of(c)
    const key = lastApplied(await c.words())
    // All of them are there, or nothing is changed.
    const items = []
    for (const { object, of, namespace } of await readObjects(c)) {
      const name = object.metadata.name ?? ''
      const live = await readOne(c, { of, namespace, name })
      if (!c.flags.is('create-annotation')) await configurationOf(c, live)
      items.push({ object, of, namespace, name, live })
    }
    await forEach(items, async ({ object, of, namespace, name, live }) => {
      if (live.metadata.annotations?.[key] === lastAppliedText(object, key))
        return c.out(`set-last-applied ${name}: no changes required.\n`)
      if (dryRunOf(c) === 'client') return done.say(live, 'configured')
      await done.say(
        await setAnnotation(c, resourcePath(of, namespace, name), object),
        'configured',
      )
    })
  },
}

export const editLastApplied: Command = {
  use: '(RESOURCE/NAME | -f FILENAME)',
  text: 'Opens the configuration that was applied last in an editor and stores what was changed.',
  flags: { ...writeFlags, ...manyFlags },
  async run(c) {
    const done = await Done.of(c)
    for (const { object, of, namespace, name } of await findObjects(c)) {
      const before = await toYaml(await configurationOf(c, object))
      const after = await edited(before, '.yaml', c.io)
      if (after === before || after.trim() === '') c.err('Edit cancelled, no changes made.\n')
      else
        await done.say(
          await setAnnotation(
            c,
            resourcePath(of, namespace, name),
            (await parseYaml(after)) as ApiObject,
          ),
          'edited',
        )
    }
  },
}

export const pluginList: Command = {
  use: '',
  text: 'Shows the plugins: programs of the search path whose names begin with that of this program and a dash.',
  flags: {
    'name-only': {
      type: 'bool',
      help: 'If true, display only the binary name of each plugin, rather than its full path',
    },
  },
  run(c) {
    const found = allPlugins(c.program, c.io)
    if (found.length === 0)
      return Promise.reject(
        new Fault(`error: unable to find any ${c.program} plugins in your PATH`),
      )
    const shown = found.map((path) =>
      c.flags.is('name-only') ? path.slice(path.lastIndexOf('/') + 1) : path,
    )
    c.out(
      `The following compatible plugins are available:\n\n${shown.map((one) => `${one}\n`).join('')}`,
    )
    return Promise.resolve()
  },
}

export const options: Command = {
  use: '',
  text: 'Shows the flags that every command has.',
  run(c) {
    c.out(globalHelp())
    return Promise.resolve()
  },
}

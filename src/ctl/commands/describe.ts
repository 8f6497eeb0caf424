/** describe: shows objects in full for people, each kind in its layout, with what belongs to it and its events. */
import { readAll, readOne, selectorQuery, type LiveObject } from '../api/find-objects.ts'
import { everywhereFlags, findSelected, selectionFlags, type Selected } from '../api/selection.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { throwAll } from '../base/faults.ts'
import { layoutOf } from '../describe/layouts.ts'
import { Page } from '../describe/page.ts'
import { Scene } from '../describe/scene.ts'
import { StatusError } from '../../meta/errors.ts'
import { withColumns } from '../print/elastic.ts'
import { ageText, oldestFirst, type ShownEvent } from './events.ts'

export const describe: Command = {
  use: '(-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)',
  text: 'Shows details of objects: what people look for, in the layout of their kind, and their events. A name that is none is taken as the beginning of names.',
  examples: [
    ['A node', 'describe nodes worker-1'],
    ['Pods with a label', 'describe pods -l name=web'],
  ],
  flags: {
    ...selectionFlags,
    ...everywhereFlags,
    'show-events': {
      type: 'bool',
      default: 'true',
      help: 'If true, display events related to the described object.',
    },
  },
  async run(c) {
    if (c.args.length === 0 && c.flags.list('filename').length === 0) {
      c.err(
        `You must specify the type of resource to describe. Use "${c.program} api-resources" for a complete list of supported resources.\n`,
      )
      throw c.misuse('Required resource not specified.')
    }
    const errors: unknown[] = []
    const texts: string[] = []
    const selected = await findSelected(c)
    for (const one of selected) {
      try {
        const { objects, areBeginnings } = await objectsOf(c, one)
        const found: string[] = []
        for (const object of objects) found.push(await described(c, one, object))
        // Names that were meant by their beginning stand further apart.
        if (areBeginnings) texts.push(found.map((text) => `${text}\n`).join(''))
        else texts.push(...found)
      } catch (error) {
        errors.push(error)
      }
    }
    c.out(texts.join('\n\n'))
    if (texts.length === 0 && errors.length === 0) {
      const isNamespaced = selected.some(({ of }) => of.namespaced) && !c.flags.is('all-namespaces')
      c.err(
        isNamespaced
          ? `No resources found in ${(await c.namespace()).name} namespace.\n`
          : 'No resources found\n',
      )
    }
    throwAll(errors)
  },
}

interface Described {
  readonly objects: readonly LiveObject[]
  /** Whether the name was the beginning of theirs. */
  readonly areBeginnings: boolean
}

async function objectsOf(c: Context, one: Selected): Promise<Described> {
  if (one.name === '') {
    return { objects: await readAll(c, one, selectorQuery(c)), areBeginnings: false }
  }
  try {
    return { objects: [await readOne(c, one)], areBeginnings: false }
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'NotFound') throw error
    const all = await readAll(c, { ...one, name: '' })
    const found = all.filter(({ metadata }) => (metadata.name ?? '').startsWith(one.name))
    if (found.length === 0) throw error
    return { objects: found, areBeginnings: true }
  }
}

async function described(c: Context, { of }: Selected, object: LiveObject): Promise<string> {
  const v = await c.words()
  const scene = new Scene(c, of, object, v)
  const page = new Page()
  const { write, hasEvents } = layoutOf(of, v)
  await write(page, scene)
  if (hasEvents && c.flags.is('show-events')) await addEvents(page, scene)
  return withColumns(page.lines)
}

async function addEvents(page: Page, scene: Scene): Promise<void> {
  const fieldSelector = `involvedObject.uid=${scene.object.textAt('metadata.uid')}`
  const found = await scene.all('events.v1.', scene.namespace, { fieldSelector })
  if (found.length === 0) return void page.add(0, 'Events:', '<none>')
  const all = oldestFirst(found.map((one) => one.raw as ShownEvent))
  page.add(0, 'Events:').add(1, 'Type', 'Reason', 'Age', 'From', 'Message')
  page.add(1, '----', '------', '----', '----', '-------')
  for (const event of all)
    page.add(
      1,
      ...[event.type ?? '', event.reason ?? '', ageText(event, scene.now())],
      event.source?.component || event.reportingComponent || '',
      (event.message ?? '').trim(),
    )
}

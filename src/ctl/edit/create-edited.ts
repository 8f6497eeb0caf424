import type { ApiObject } from '../../client/transport.ts'
import { parseYamlDocuments, toYaml } from '../../codec/yaml.ts'
import { readObjects } from '../api/builder.ts'
import { findKind } from '../api/resources.ts'
import { create, Done, forEach, writeQuery } from '../api/writing.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import { edited } from './editor.ts'

/** Creates the objects of files after the user has edited them. */
export async function createEdited(c: Context): Promise<void> {
  const items = await readObjects(c)
  const texts = await Promise.all(items.map(({ object }) => toYaml(object)))
  const before = texts.join('---\n')
  const after = await edited(before, '.yaml', c.io)
  if (after.trim() === '') throw new Fault('error: Edit cancelled, saved file was empty.')
  const done = await Done.of(c)
  const query = await writeQuery(c, 'create')
  const { name: namespace } = await c.namespace()
  await forEach((await parseYamlDocuments(after)) as ApiObject[], async (object) => {
    const of = await findKind(await c.discovery(), object.apiVersion ?? '', object.kind ?? '')
    if (!of)
      throw new Fault(
        `error: no matches for kind "${object.kind}" in version "${object.apiVersion}"`,
      )
    const placed = of.namespaced
      ? { ...object, metadata: { namespace, ...object.metadata } }
      : object
    await done.say(await create(c, of, placed, query), 'created')
  })
}

/** api-resources: shows the types that the server serves. */
import type { ServedResource } from '../api/discovery.ts'
import { apiVersionOf, qualifiedName } from '../api/resources.ts'
import type { Command } from '../base/command.ts'
import { Fault, throwAll } from '../base/faults.ts'
import { Columns } from '../print/columns.ts'

export const apiResources: Command = {
  use: '[flags]',
  text: 'Shows the API resources that the server supports.',
  examples: [
    ['All', 'api-resources'],
    ['Those of a group that can be listed', 'api-resources --api-group=apps --verbs=list'],
  ],
  flags: {
    'api-group': { type: 'text', help: 'Limit to resources in the specified API group.' },
    cached: { type: 'bool', help: 'Use the cached list of resources if available.' },
    categories: {
      type: 'list',
      help: 'Limit to resources that belong the the specified categories.',
    },
    namespaced: {
      type: 'bool',
      default: 'true',
      help: 'If false, non-namespaced resources will be returned, otherwise returning namespaced resources by default.',
    },
    'no-headers': {
      type: 'bool',
      help: "When using the default or custom-column output format, don't print headers.",
    },
    output: { type: 'text', short: 'o', help: 'Output format. One of: (wide, name).' },
    'sort-by': {
      type: 'text',
      help: 'If non-empty, sort list of resources using specified field: name or kind.',
    },
    verbs: { type: 'list', help: 'Limit to resources that support the specified verbs.' },
  },
  async run(c) {
    if (c.args.length > 0) throw c.misuse(`unexpected arguments: [${c.args.join(' ')}]`)
    const output = c.flags.text('output')
    if (output !== '' && output !== 'wide' && output !== 'name') {
      throw new Fault(`error: --output ${output} is not available`)
    }
    const sortBy = c.flags.text('sort-by')
    if (sortBy !== '' && sortBy !== 'name' && sortBy !== 'kind') {
      throw new Fault('error: --sort-by accepts only name or kind')
    }
    const discovery = await c.discovery()
    const served = await (c.flags.is('cached') ? discovery.served() : discovery.refresh())
    const group = c.flags.text('api-group')
    const first = new Map(served.groups.map(({ name, versions }) => [name, versions[0]]))
    const shown = served.resources.filter(
      (one) =>
        !one.name.includes('/') &&
        one.verbs.length > 0 &&
        one.version === first.get(one.group) &&
        (!c.flags.isSet('api-group') || one.group === group) &&
        (!c.flags.isSet('namespaced') || one.namespaced === c.flags.is('namespaced')) &&
        c.flags.list('verbs').every((verb) => one.verbs.includes(verb)) &&
        c.flags.list('categories').every((category) => one.categories.includes(category)),
    )
    const order = (a: ServedResource, b: ServedResource) =>
      sortBy === 'kind'
        ? compare(a.kind, b.kind)
        : sortBy === 'name' || a.group === b.group
          ? compare(a.name, b.name)
          : compare(a.group, b.group)
    shown.sort(order)
    if (output === 'name') c.out(shown.map((one) => `${qualifiedName(one)}\n`).join(''))
    else c.out(table(shown, { isWide: output === 'wide', noHeaders: c.flags.is('no-headers') }))
    throwAll(
      served.failures.map(
        ([version, why]) =>
          new Fault(
            `error: unable to retrieve the complete list of server APIs: ${version}: ${why}`,
          ),
      ),
    )
  },
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function table(
  shown: readonly ServedResource[],
  { isWide, noHeaders }: { readonly isWide: boolean; readonly noHeaders: boolean },
): string {
  const head = [
    'NAME',
    'SHORTNAMES',
    'APIVERSION',
    'NAMESPACED',
    'KIND',
    ...(isWide ? ['VERBS'] : []),
  ]
  const rows = shown.map((one) => [
    one.name,
    one.shortNames.join(','),
    apiVersionOf(one),
    String(one.namespaced),
    one.kind,
    ...(isWide ? [`[${one.verbs.join(' ')}]`] : []),
  ])
  return new Columns().format(noHeaders ? rows : [head, ...rows])
}

export const apiVersions: Command = {
  use: '[flags]',
  text: 'Shows the API versions that the server supports, in the form of "group/version".',
  async run(c) {
    if (c.args.length > 0) throw c.misuse(`unexpected arguments: [${c.args.join(' ')}]`)
    const { groups } = await (await c.discovery()).refresh()
    const all = groups.flatMap(({ name, versions }) =>
      versions.map((version) => apiVersionOf({ group: name, version })),
    )
    c.out(
      all
        .sort()
        .map((text) => `${text}\n`)
        .join(''),
    )
  },
}

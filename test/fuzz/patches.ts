/** Patches of every type, made for an object that may be there. */
import type { Dice } from './dice.ts'
import { mutateTree, type ValueAt } from './mutate-tree.ts'
import { copyOf, Members, sitesOf, type Tree } from './tree.ts'
import { hostileText, hostileValue } from './values.ts'

export const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const

export type PatchType = (typeof PATCH_TYPES)[number]

/** A patch for an object like `live`; the object itself is left as it is. */
export function patchOf(type: PatchType, live: Tree, random: Dice, known: ValueAt): Tree {
  if (type === 'application/json-patch+json') return operations(live, random)
  const out = random.chance(0.5) ? copyOf(live) : part(live, random)
  if (type === 'application/apply-patch+yaml') {
    // What the server writes is refused in an apply.
    if (out instanceof Members && random.chance(0.9)) {
      const metadata = out.get('metadata')
      if (metadata instanceof Members && random.chance(0.95))
        metadata.list.splice(
          0,
          metadata.list.length,
          ...metadata.list.filter(([name]) => !OF_SERVER.has(name)),
        )
      for (const name of ['apiVersion', 'kind'])
        if (live instanceof Members) out.set(name, live.get(name) ?? null)
    }
  }
  mutateTree(out, random, { times: random.below(4), known })
  if (type === 'application/strategic-merge-patch+json') directives(out, random)
  return out
}

const OF_SERVER = new Set(['managedFields', 'resourceVersion', 'uid', 'creationTimestamp'])

const pointer = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function operations(live: Tree, random: Dice): Tree {
  const sites = sitesOf(live)
  const somewhere = (): string => {
    if (sites.length === 0 || random.chance(0.1))
      return random.pick([
        '',
        '/',
        '/-',
        '/a/~2',
        'a',
        '//',
        '/metadata/__proto__/x',
        hostileText(random),
      ])
    const path = random.pick(sites).path
    if (random.chance(0.8)) return pointer(path)
    const more = random.pick(['-', '0', '-1', '00', '1e0', '99999999999', 'new', '__proto__'])
    return pointer([...path, more])
  }
  const value = (): Tree =>
    sites.length > 0 && random.chance(0.5) ? copyOf(random.pick(sites).get()) : hostileValue(random)
  const one = (): Tree => {
    const op = random.chance(0.95)
      ? random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test'])
      : hostileText(random)
    const out = new Members([
      ['op', op],
      ['path', somewhere()],
    ])
    if (op === 'move' || op === 'copy') out.set('from', somewhere())
    if (random.chance(op === 'remove' ? 0.1 : 0.9)) out.set('value', value())
    return out
  }
  const count = random.weighted([
    [1, 0],
    [8, 1],
    [4, 3],
    [1, 200],
  ])
  return Array.from({ length: count }, one)
}

/** Some of the members, down to some depth. */
function part(tree: Tree, random: Dice): Tree {
  if (Array.isArray(tree)) return tree.map((item) => part(item, random))
  if (!(tree instanceof Members)) return tree
  return new Members(
    tree.list.filter(() => random.chance(0.6)).map(([name, value]) => [name, part(value, random)]),
  )
}

const DIRECTIVES: readonly ((random: Dice) => [string, Tree])[] = [
  (random) => ['$patch', random.pick<Tree>(['delete', 'replace', 'merge', 'other', null, 1])],
  (random) => ['$retainKeys', random.pick<Tree>([['type'], ['a', 'b'], 'x', [1], null])],
  (random) => [
    `$setElementOrder/${random.pick(['containers', 'ports', 'env', 'finalizers', ''])}`,
    random.pick<Tree>([[], [new Members([['name', 'c']])], ['a'], [1], 'x', null]),
  ],
  (random) => [
    `$deleteFromPrimitiveList/${random.pick(['finalizers', 'args', 'x'])}`,
    random.pick<Tree>([[], ['a'], [1], 'a', null]),
  ],
  (random) => [`$${hostileText(random)}`, hostileValue(random)],
]

function directives(tree: Tree, random: Dice): void {
  for (let i = random.below(3); i > 0; i--) {
    const holders = [tree, ...sitesOf(tree).map((site) => site.get())].filter(
      (value) => value instanceof Members,
    )
    if (holders.length === 0) return
    random.pick(holders).list.push(random.pick(DIRECTIVES)(random))
  }
}

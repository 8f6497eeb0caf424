/** Changes to a JSON document that leave it JSON, most of the time. */
import type { Dice } from './dice.ts'
import { copyOf, Members, sitesOf, type Site, type Tree } from './tree.ts'
import { hostileText, hostileValue } from './values.ts'

/** Makes a value for a place; undefined when nothing is known of it. */
export type ValueAt = (path: readonly (string | number)[]) => Tree | undefined

type Change = (site: Site, random: Dice, sites: readonly Site[]) => void

const CHANGES: readonly (readonly [number, Change])[] = [
  [8, (site, random) => site.put(hostileValue(random))],
  [3, (site) => site.remove()],
  [2, (site) => site.repeat()],
  [1, (site, random) => site.repeat(hostileValue(random))],
  [2, (site, random) => site.rename(hostileText(random))],
  [2, (site, random, sites) => site.put(copyOf(random.pick(sites).get()))],
  [1, (site) => site.put([copyOf(site.get())])],
  [1, (site) => site.put(new Members([['a', copyOf(site.get())]]))],
  [1, (site) => site.put(null)],
  [
    2,
    (site, random) => {
      const value = site.get()
      if (value instanceof Members) value.list.push([hostileText(random), hostileValue(random)])
      else if (Array.isArray(value)) value.push(hostileValue(random))
      else if (typeof value === 'string') site.put(value + hostileText(random))
    },
  ],
  [
    1,
    (site, random) => {
      const value = site.get()
      const count = random.pick([2, 20, 300])
      if (Array.isArray(value) && value.length > 0)
        value.push(...Array.from({ length: count }, () => copyOf(random.pick(value))))
    },
  ],
]

/** Names that decide which object is meant: changed rarely, since little comes of it beyond a refusal. */
const isIdentity = ({ path: [first, second] }: Site): boolean =>
  first === 'kind' ||
  first === 'apiVersion' ||
  (first === 'metadata' && (second === 'name' || second === 'namespace' || second === undefined))

/** Changes a tree in place, `times` times. Where `known` has a value for a place, that is used as often as a hostile one. */
export function mutateTree(
  tree: Tree,
  random: Dice,
  options: { readonly times: number; readonly known?: ValueAt },
): void {
  for (let i = 0; i < options.times; i++) {
    const sites = sitesOf(tree)
    if (sites.length === 0) return
    let site = random.pick(sites)
    if (isIdentity(site) && random.chance(0.9)) site = random.pick(sites)
    const value = random.chance(0.4) ? options.known?.(site.path) : undefined
    if (value !== undefined) site.put(value)
    else random.weighted(CHANGES)(site, random, sites)
  }
}

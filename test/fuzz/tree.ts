/** JSON as a tree that can hold what no value of JavaScript can: repeated members, numbers of any length. */

/** A piece of text that stands in the document as it is. */
export class Literal {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An object whose members have an order and may repeat. */
export class Members {
  readonly list: [name: string, value: Tree][]
  constructor(list: [string, Tree][] = []) {
    this.list = list
  }

  get(name: string): Tree | undefined {
    return this.list.find(([n]) => n === name)?.[1]
  }

  set(name: string, value: Tree): void {
    const entry = this.list.find(([n]) => n === name)
    if (entry) entry[1] = value
    else this.list.push([name, value])
  }
}

export type Tree = null | boolean | number | string | Literal | Members | Tree[]

/** The tree of a plain value; integers beyond the engine's numbers come as `bigint`. */
export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return value.map(treeOf)
  if (typeof value === 'object' && value !== null) {
    return new Members(Object.entries(value).map(([name, inner]) => [name, treeOf(inner)]))
  }
  if (typeof value === 'bigint') return new Literal(String(value))
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  return null
}

/** A tree of its own with the same content. */
export function copyOf(tree: Tree): Tree {
  if (Array.isArray(tree)) return tree.map(copyOf)
  if (tree instanceof Members)
    return new Members(tree.list.map(([name, value]) => [name, copyOf(value)]))
  return tree
}

/** Writes it as JSON, as far as its literals are. */
export function textOf(tree: Tree): string {
  if (tree instanceof Literal) return tree.text
  if (Array.isArray(tree)) return `[${tree.map(textOf).join()}]`
  if (tree instanceof Members)
    return `{${tree.list.map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`).join()}}`
  return JSON.stringify(tree)
}

/** A place in a tree where a value stands. */
export interface Site {
  readonly path: readonly (string | number)[]
  get(): Tree
  put(value: Tree): void
  /** Takes it out; a second time does nothing. */
  remove(): void
  /** Puts the same, or another value, beside it. */
  repeat(value?: Tree): void
  /** Gives a member another name; does nothing to an item. */
  rename(name: string): void
}

/** All places below the root. */
export function sitesOf(tree: Tree, path: readonly (string | number)[] = []): Site[] {
  if (Array.isArray(tree)) {
    return tree.flatMap((value, i) => [
      itemSite(tree, i, [...path, i]),
      ...sitesOf(value, [...path, i]),
    ])
  }
  if (!(tree instanceof Members)) return []
  return tree.list.flatMap((entry) => [
    memberSite(tree, entry, [...path, entry[0]]),
    ...sitesOf(entry[1], [...path, entry[0]]),
  ])
}

function itemSite(list: Tree[], at: number, path: readonly (string | number)[]): Site {
  const item = list[at]!
  return {
    path,
    get: () => list[at] ?? null,
    put: (value) => void (list[at] = value),
    remove: () => {
      const now = list.indexOf(item)
      if (now >= 0) list.splice(now, 1)
    },
    repeat: (value = copyOf(item)) => void list.splice(at, 0, value),
    rename: () => {},
  }
}

function memberSite(
  holder: Members,
  entry: [string, Tree],
  path: readonly (string | number)[],
): Site {
  return {
    path,
    get: () => entry[1],
    put: (value) => void (entry[1] = value),
    remove: () => {
      const now = holder.list.indexOf(entry)
      if (now >= 0) holder.list.splice(now, 1)
    },
    repeat: (value = copyOf(entry[1])) => void holder.list.push([entry[0], value]),
    rename: (name) => void (entry[0] = name),
  }
}

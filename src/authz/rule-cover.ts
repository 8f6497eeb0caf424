/** Whether users already hold the permissions that they give to others. */
import { ANY, has, urlFits, type Rule } from './rules.ts'

/** The least that can be allowed: one verb on one resource, of one name or of any, or on one path. */
export type Atom =
  | {
      readonly is: 'resource'
      readonly verb: string
      readonly group: string
      readonly resource: string
      /** Null for every object. */
      readonly name: string | null
    }
  | { readonly is: 'url'; readonly verb: string; readonly url: string }

/** Takes a rule apart. A rule without verbs or without things allows nothing and has no atoms. */
export function atomsOf(rule: Rule): Atom[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const names = resourceNames.length === 0 ? [null] : resourceNames
  const atoms: Atom[] = []
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs)
        for (const name of names) atoms.push({ is: 'resource', verb, group, resource, name })
  for (const url of nonResourceURLs) for (const verb of verbs) atoms.push({ is: 'url', verb, url })
  return atoms
}

/** How many atoms rules have. A few lists of a hundred words each have more than any memory holds. */
export const countAtoms = (rules: readonly Rule[]): number =>
  rules.reduce((sum, rule) => sum + atomCount(rule), 0)

function atomCount(rule: Rule): number {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const names = Math.max(resourceNames.length, 1)
  return verbs.length * (apiGroups.length * resources.length * names + nonResourceURLs.length)
}

/** The wanted rules that no single rule of the owner covers. */
export function uncovered(owned: readonly Rule[], wanted: readonly Rule[]): Atom[] {
  const cover = new Cover(owned)
  return wanted.flatMap((rule) => atomsOf(rule).filter((atom) => !cover.covers(atom)))
}

/** The rules of an owner by the words in them: of many rules, an atom is held against few. */
export class Cover {
  readonly #verbs = new Places()
  readonly #groups = new Places()
  readonly #resources = new Places()
  readonly #names = new Places()
  readonly #urls: Rule[] = []

  constructor(owned: readonly Rule[]) {
    for (const rule of owned) {
      this.#verbs.add(rule, rule.verbs)
      this.#groups.add(rule, rule.apiGroups ?? [])
      this.#resources.add(rule, rule.resources ?? [])
      const { resourceNames = [] } = rule
      this.#names.add(rule, resourceNames.length === 0 ? [ANY] : resourceNames)
      if (rule.nonResourceURLs?.length) this.#urls.push(rule)
    }
  }

  /** Whether a single rule covers the atom. */
  covers(atom: Atom): boolean {
    if (atom.is === 'url') return this.#urls.some((own) => covers(own, atom))
    const { verb, group, resource, name } = atom
    const at = resource.indexOf('/')
    const sub = at >= 0 ? [ANY + resource.slice(at)] : []
    const candidates = [
      this.#verbs.of([ANY, verb]),
      this.#groups.of([ANY, group]),
      this.#resources.of([ANY, resource, ...sub]),
      this.#names.of(name === null ? [ANY] : [ANY, name]),
    ]
    const fewest = candidates.reduce((a, b) => (sizeOf(b) < sizeOf(a) ? b : a))
    return fewest.some((rules) => rules.some((own) => covers(own, atom)))
  }
}

/** Rules by the words of one of their lists. */
class Places {
  readonly #byWord = new Map<string, Rule[]>()

  add(rule: Rule, words: readonly string[]): void {
    for (const word of words) {
      const rules = this.#byWord.get(word)
      if (!rules) this.#byWord.set(word, [rule])
      // A word that is repeated in a rule is indexed once.
      else if (rules.at(-1) !== rule) rules.push(rule)
    }
  }

  of(words: readonly string[]): readonly (readonly Rule[])[] {
    return words.map((word) => this.#byWord.get(word) ?? [])
  }
}

const sizeOf = (lists: readonly (readonly Rule[])[]): number =>
  lists.reduce((sum, { length }) => sum + length, 0)

/** Whether one rule allows all that an atom does. */
export function covers(own: Rule, atom: Atom): boolean {
  if (!has(own.verbs, atom.verb)) return false
  if (atom.is === 'url')
    // A wanted `*` is every path: it is a prefix like others, that only a bare `*` begins.
    return own.nonResourceURLs?.some((pattern) => urlFits(pattern, atom.url)) === true
  return (
    has(own.apiGroups, atom.group) &&
    resourceCovers(own.resources ?? [], atom.resource) &&
    namesCover(own.resourceNames ?? [], atom.name)
  )
}

function resourceCovers(owned: readonly string[], wanted: string): boolean {
  if (owned.includes(ANY) || owned.includes(wanted)) return true
  const at = wanted.indexOf('/')
  return at >= 0 && owned.includes(ANY + wanted.slice(at))
}

const namesCover = (owned: readonly string[], wanted: string | null): boolean =>
  owned.length === 0 || (wanted !== null && owned.includes(wanted))

/** An atom as a rule of a role. */
export const ruleOf = (atom: Atom): Rule =>
  atom.is === 'url'
    ? { verbs: [atom.verb], nonResourceURLs: [atom.url] }
    : {
        verbs: [atom.verb],
        apiGroups: [atom.group],
        resources: [atom.resource],
        ...(atom.name === null ? {} : { resourceNames: [atom.name] }),
      }

/** Puts the verbs on one resource, of one name or of any, into one rule each. Paths stay as they are. */
export function compact(atoms: readonly Atom[]): Rule[] {
  const rules: Rule[] = []
  const verbsOf = new Map<string, { readonly seen: Set<string>; readonly verbs: string[] }>()
  for (const atom of atoms) {
    if (atom.is === 'url') {
      rules.push(ruleOf(atom))
      continue
    }
    const key = JSON.stringify([atom.group, atom.resource, atom.name])
    const known = verbsOf.get(key)
    if (!known) {
      const verbs = [atom.verb]
      verbsOf.set(key, { seen: new Set(verbs), verbs })
      rules.push({ ...ruleOf(atom), verbs })
    } else if (!known.seen.has(atom.verb)) {
      known.seen.add(atom.verb)
      known.verbs.push(atom.verb)
    }
  }
  return rules
}

/** A list of texts as errors show it. */
export const quotedList = (texts: readonly string[]): string =>
  `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`

/** A rule as errors show it; members without content are left out. */
function printRule(rule: Rule): string {
  const members: readonly [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  const shown = members.flatMap(([name, list]) =>
    list && list.length > 0 ? [`${name}:${quotedList(list)}`] : [],
  )
  return `{${shown.join(', ')}}`
}

/** Rules as the lines that errors list, sorted, each once. */
export const printRules = (rules: readonly Rule[]): string =>
  [...new Set(rules.map(printRule))].sort().join('\n')

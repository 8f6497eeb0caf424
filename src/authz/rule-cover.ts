/** Whether somebody already holds what they give to others (page on authorization 4). */
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

/** What of the wanted rules no single rule of the owner covers. */
export function uncovered(owned: readonly Rule[], wanted: readonly Rule[]): Atom[] {
  return wanted.flatMap((rule) =>
    atomsOf(rule).filter((atom) => !owned.some((own) => covers(own, atom))),
  )
}

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
  const verbsOf = new Map<string, string[]>()
  for (const atom of atoms) {
    if (atom.is === 'url') {
      rules.push(ruleOf(atom))
      continue
    }
    const key = JSON.stringify([atom.group, atom.resource, atom.name])
    const verbs = verbsOf.get(key)
    if (!verbs) {
      const first = [atom.verb]
      verbsOf.set(key, first)
      rules.push({ ...ruleOf(atom), verbs: first })
    } else if (!verbs.includes(atom.verb)) verbs.push(atom.verb)
  }
  return rules
}

/** A list of texts as errors show it. */
export const quotedList = (texts: readonly string[]): string =>
  `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`

/** A rule as errors show it; members without content are left out. */
export function printRule(rule: Rule): string {
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

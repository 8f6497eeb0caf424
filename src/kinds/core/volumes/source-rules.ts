import type { FieldErrors } from '../../../meta/field-errors.ts'

/** How each member of a union of sources is checked, in the order in which they are tried. */
export type SourceRules<S extends object, A> = {
  readonly [K in keyof S]-?: (source: NonNullable<S[K]>, errors: FieldErrors, around: A) => void
}

/** The only source that is set; null where there are several, or none. There are many rules and few members. */
function onlySource<S extends object, A>(
  rules: SourceRules<S, A>,
  sources: S,
): (keyof S & string) | null {
  let only: (keyof S & string) | null = null
  for (const name in sources) {
    if (!Object.hasOwn(rules, name) || sources[name] === undefined || sources[name] === null)
      continue
    if (only !== null) return null
    only = name
  }
  return only
}

/** Exactly one source must be set: validates the first one and rejects others; reports to `errors`. */
export function validateSources<S extends object, A>(
  rules: SourceRules<S, A>,
  sources: S,
  errors: FieldErrors,
  around: A,
): void {
  const only = onlySource(rules, sources)
  if (only !== null) return rules[only](sources[only]!, errors.at(only), around)
  let found = false
  for (const name of Object.keys(rules) as (keyof S & string)[]) {
    const source = sources[name]
    if (source === undefined || source === null) continue
    if (found) errors.at(name).forbidden('may not specify more than 1 volume type')
    else rules[name](source, errors.at(name), around)
    found = true
  }
  if (!found) errors.required('must specify a volume type')
}

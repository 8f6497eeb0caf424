import type { FieldFacts, Holds, Shape } from '../notation/shape.ts'

/** Marks that differ, by `Shape.field`. */
export type Relabelling = ReadonlyMap<string, Partial<FieldFacts>>

/**
 * Reads the relabelled fields of a version: keys are dotted paths from the kind (`status.currentReplicas`), or a shape
 * and its field (`MetricSpec.type`).
 */
export function relabelling(
  kind: Shape,
  relabel: Readonly<Record<string, Partial<FieldFacts>>>,
): Relabelling {
  const found = new Map<string, Partial<FieldFacts>>()
  for (const [key, facts] of Object.entries(relabel)) {
    found.set(/^[A-Z]/.test(key) ? key : typeAndField(kind, key.split('.')), facts)
  }
  return found
}

function typeAndField(kind: Shape, path: readonly string[]): string {
  let shape = kind
  for (const [i, name] of path.entries()) {
    const facts = shape.fields.get(name)
    if (!facts) throw new Error(`relabel: ${kind.name} has no field ${path.join('.')}`)
    if (i === path.length - 1) return `${shape.name}.${name}`
    const inner = objectIn(facts.holds)
    if (!inner) throw new Error(`relabel: ${kind.name} has no field ${path.join('.')}`)
    shape = inner
  }
  return kind.name
}

function objectIn(holds: Holds): Shape | null {
  if (holds.is === 'object') return holds.to()
  return holds.is === 'list' || holds.is === 'map' ? objectIn(holds.of) : null
}

/** The facts of a field with the marks that differ. */
export function relabelled(
  relabel: Relabelling | undefined,
  shape: Shape,
  field: string,
  facts: FieldFacts,
): FieldFacts {
  const other = relabel?.get(`${shape.name}.${field}`)
  return other === undefined ? facts : { ...facts, ...other }
}

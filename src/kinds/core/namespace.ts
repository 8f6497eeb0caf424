import type { FieldErrors } from '../../meta/field-errors.ts'
import { isDns1123Label, isQualifiedName } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, part, resource, type HookContext } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'

const { kind, shape } = group('core/v1')

/** What holds a namespace. */
export class NamespaceSpec extends shape({
  /** Duties to be done before a terminating namespace goes away. */
  finalizers: t.list(1, 'string'),
}) {}

/** One aspect of how a terminating namespace is emptied. */
export class NamespaceCondition extends shape({
  /** Which aspect. */
  type: t.string(1).required(),
  /** `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** When the status last changed. */
  lastTransitionTime: t.time(4),
  /** Why, as one word. */
  reason: t.string(5),
  /** Why, for people. */
  message: t.string(6),
}) {}

/** How a namespace fares. */
export class NamespaceStatus extends shape({
  /** Whether it takes new content or is going away. */
  phase: t.string(1).oneOf('Active', 'Terminating').default('Active'),
  /** How emptying it goes. */
  conditions: t.list(2, NamespaceCondition).patchBy('type'),
}) {}

/** A room for names: objects in it are named apart from those of others and go away with it. */
export class Namespace extends kind({
  /** What holds it. */
  spec: t.object(2, NamespaceSpec),
  /** How it fares; kept by the cluster. */
  status: t.object(3, NamespaceStatus),
}) {}

/** The label by which selectors find a namespace by name; it cannot be taken away. */
function labelWithName(namespace: Namespace, { v }: HookContext): void {
  const { metadata } = namespace
  if (metadata.name === undefined) return
  metadata.labels = { ...metadata.labels, [v.spell('{label}/metadata.name')]: metadata.name }
}

const STANDARD = ['orphan', 'foregroundDeletion']

function validateFinalizers(
  names: readonly string[] = [],
  place: (i: number) => FieldErrors,
  { v }: HookContext,
): void {
  const known = [v.spell('{brand}'), ...STANDARD]
  for (const [i, name] of names.entries()) {
    const errors = place(i)
    const messages = isQualifiedName(name)
    errors.invalidAll(name, messages)
    if (messages.length === 0 && !name.includes('/') && !known.includes(name)) {
      errors.invalid(name, 'name is neither a standard finalizer name nor is it fully qualified')
    }
  }
}

export const namespaces = resource(Namespace, {
  plural: 'namespaces',
  short: ['ns'],
  scope: 'cluster',
  without: ['deletecollection'],
  nameRule: isDns1123Label,
  noNamespaceSelector: true,
  selectable: { 'status.phase': (namespace) => namespace.status.phase },
  columns: [
    nameColumn,
    column('Status', 'string', (namespace) => namespace.status.phase ?? '', {
      description: 'Whether it takes new content.',
    }),
    ageColumn,
  ],

  subresources: {
    /** Takes spec.finalizers from whoever empties the namespace. */
    finalize: part('spec.finalizers', {
      verbs: ['update'],
      unowned: ['status'],
      validate: (namespace, errors, c) =>
        validateFinalizers(namespace.spec.finalizers, (i) => errors.at('spec', 'finalizers', i), c),
    }),
    status: part('status', {
      validateUpdate(next, _old, errors) {
        const wanted = next.metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating'
        if (next.status.phase !== wanted) {
          // As the reference writes it: the name of its own structure, not of the field.
          errors
            .at('status', 'Phase')
            .invalid(
              next.status.phase,
              `may only be '${wanted}' if \`deletionTimestamp\` is ${wanted === 'Active' ? '' : 'not '}empty`,
            )
        }
      },
    }),
  },

  setDefaults: labelWithName,
  canonicalize: labelWithName,

  prepareForCreate(namespace, { v }) {
    namespace.status = { phase: 'Active' }
    const finalizers = namespace.spec.finalizers ?? []
    const own = v.spell('{brand}')
    if (!finalizers.includes(own)) namespace.spec.finalizers = [...finalizers, own]
  },

  prepareForUpdate(next, old) {
    if (old.spec.finalizers) next.spec.finalizers = old.spec.finalizers
    else delete next.spec.finalizers
  },

  validate: (namespace, errors, c) =>
    validateFinalizers(namespace.spec.finalizers, () => errors.at('spec', 'finalizers'), c),

  onTerminate(namespace) {
    namespace.status.phase = 'Terminating'
  },
  isHeld: (namespace) => (namespace.spec.finalizers?.length ?? 0) > 0,
})

import { formatTime } from '../../base/time.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { part, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { fillClient } from '../admissionregistration/client-config-rules.ts'
import {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
} from './custom-resource-definition-spec.ts'
import { validateApproval } from './approval.ts'
import { validateDefinitionSpec } from './definition-rules.ts'
import { prepareSchemas } from './prepare-schema.ts'
import { validateNames } from './name-rules.ts'
import { validateStoredVersions } from './version-rules.ts'

const { kind, shape } = group('apiextensions{api}/v1')

/** One aspect of the observed state of a CustomResourceDefinition. */
export class CustomResourceDefinitionCondition extends shape({
  /** Type of the condition, such as `Established`, `NamesAccepted` or `Terminating`. */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Time at which the status last changed from one value to another. */
  lastTransitionTime: t.time(3),
  /** Machine-readable reason for the last transition, in CamelCase. */
  reason: t.string(4),
  /** Human-readable details about the last transition. */
  message: t.string(5),
}) {}

/** Accepted names, stored versions and conditions of a definition. */
export class CustomResourceDefinitionStatus extends shape({
  /** Current conditions of the definition, by type. */
  conditions: t.list(1, CustomResourceDefinitionCondition).keyed('type').nullWhenAbsent(),
  /**
   * Names under which the resource is served. They differ from `spec.names` where those conflict with another
   * definition.
   */
  acceptedNames: t.object(2, CustomResourceDefinitionNames),
  /**
   * Versions in which objects have ever been stored. Remove a version only after all objects are migrated; it cannot be
   * removed from `spec.versions` before.
   */
  storedVersions: t.list(3, 'string'),
}) {}

/** A CustomResourceDefinition adds a resource to the API. Its name is `<plural>.<group>`. */
export class CustomResourceDefinition extends kind({
  /** Desired definition of the custom resource. */
  spec: t.object(2, CustomResourceDefinitionSpec).required(),
  /** Most recently observed state. Set by the server; read-only for users. */
  status: t.object(3, CustomResourceDefinitionStatus),
}) {}

const storageVersionOf = ({ spec }: CustomResourceDefinition): string | undefined =>
  spec.versions.find(({ storage }) => storage)?.name

/** Whether a condition of the type is true. */
export const hasCondition = ({ status }: CustomResourceDefinition, name: string): boolean =>
  status.conditions?.some(({ type, status }) => type === name && status === 'True') ?? false

/** Finalizer under which all custom resources are removed before their definition is deleted. */
export const INSTANCE_CLEANUP = 'customresourcecleanup.apiextensions{api}'

/** Replaces the condition of the same type; the transition time is kept while the status is the same. */
export function setCondition(
  { status }: CustomResourceDefinition,
  condition: NewCondition,
  now: number,
): void {
  status.conditions = withCondition(status.conditions, condition, now)
}

/** A condition before it is set. */
export type NewCondition = Pick<
  CustomResourceDefinitionCondition,
  'type' | 'status' | 'reason' | 'message'
>

/** The conditions with one replaced; its transition time changes only with its status. */
export function withCondition(
  conditions: readonly CustomResourceDefinitionCondition[] = [],
  condition: NewCondition,
  now: number,
): CustomResourceDefinitionCondition[] {
  const at = conditions.findIndex(({ type }) => type === condition.type)
  const old = conditions[at]
  const lastTransitionTime =
    old?.status === condition.status && old.lastTransitionTime !== undefined
      ? old.lastTransitionTime
      : formatTime(now)
  const made = { ...condition, lastTransitionTime }
  return at === -1 ? [...conditions, made] : conditions.map((other, i) => (i === at ? made : other))
}

export const customResourceDefinitions = resource(CustomResourceDefinition, {
  plural: 'customresourcedefinitions',
  short: ['crd', 'crds'],
  categories: ['api-extensions'],
  scope: 'cluster',
  needsVersionOnUpdate: true,
  // Its own is one.
  takesPlainFinalizers: true,
  deleteAnswers: 'status',

  subresources: {
    status: part('status', {
      unowned: ['metadata', 'spec'],
      validate(definition, errors) {
        // Stored versions are held against the spec where that is written.
        validateNames(definition.status.acceptedNames, errors.at('status', 'acceptedNames'))
      },
    }),
  },

  setDefaults(definition) {
    const { names } = definition.spec
    if (names.kind !== '') {
      names.singular ??= names.kind.toLowerCase()
      names.listKind ??= `${names.kind}List`
    }
    definition.spec.conversion ??= { strategy: 'None' }
    fillClient(definition.spec.conversion.webhook?.clientConfig)
    const storage = storageVersionOf(definition)
    const { storedVersions = [] } = definition.status
    if (storage !== undefined && storedVersions.length === 0)
      definition.status.storedVersions = [storage]
  },

  prepareForCreate(definition) {
    const storage = storageVersionOf(definition)
    definition.status = { acceptedNames: { plural: '', kind: '' } }
    if (storage !== undefined) definition.status.storedVersions = [storage]
    definition.metadata.generation = 1
  },

  prepareForUpdate(next, old) {
    if (!sameValue(next.spec, old.spec)) {
      next.metadata.generation = raised(old.metadata)
    }
    const storage = storageVersionOf(next)
    const stored = next.status.storedVersions ?? []
    if (storage !== undefined && !stored.includes(storage)) {
      // The status may still be that of the old object.
      next.status = { ...next.status, storedVersions: [...stored, storage] }
    }
  },

  onTerminate(definition, { v, now }) {
    const { metadata } = definition
    const duty = v.resolve(INSTANCE_CLEANUP)
    if (!metadata.finalizers?.includes(duty))
      metadata.finalizers = [...(metadata.finalizers ?? []), duty]
    setCondition(
      definition,
      {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionPending',
        message: 'the definition is marked for deletion; its objects will be deleted soon',
      },
      now,
    )
  },

  prepare: ({ spec }, c) => prepareSchemas(spec, c.v),

  *validate(definition, errors, c, old) {
    const { metadata, spec, status } = definition
    if (metadata.name !== undefined && metadata.name !== `${spec.names.plural}.${spec.group}`) {
      errors
        .at('metadata', 'name')
        .invalid(metadata.name, 'must be spec.names.plural+"."+spec.group')
    }
    yield* validateDefinitionSpec(spec, errors.at('spec'), c, old?.spec)
    const at = errors.at('status')
    validateNames(status.acceptedNames, at.at('acceptedNames'))
    validateStoredVersions(status.storedVersions, spec.versions, at.at('storedVersions'))
    validateApproval(definition, errors, c, old)
  },

  validateUpdate(next, old, errors) {
    const at = errors.at('spec')
    if (hasCondition(old, 'Established')) {
      at.at('scope').immutable(next.spec.scope, old.spec.scope)
      at.at('names', 'kind').immutable(next.spec.names.kind, old.spec.names.kind)
    }
    at.at('group').immutable(next.spec.group, old.spec.group)
    at.at('names', 'plural').immutable(next.spec.names.plural, old.spec.names.plural)
  },
})

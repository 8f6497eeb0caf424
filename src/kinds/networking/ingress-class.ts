import { sameValue, type FieldErrors } from '../../meta/field-errors.ts'
import { isDns1123Label, isDomainPrefixedPath } from '../../meta/names.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { validateTypedReference } from './typed-reference.ts'

const { kind, shape } = group('networking{api}/v1')

/** Reference to an object with parameters for the ingress controller. */
export class IngressClassParametersReference extends shape({
  /** API group of the object. Unset means the core group. */
  apiGroup: t.string(1).explicit(),
  /** Kind of the object with the parameters. */
  kind: t.string(2).required(),
  /** Name of the object with the parameters. */
  name: t.string(3).required(),
  /** Scope of the object: `Cluster` or `Namespace`. Defaults to `Cluster`. */
  scope: t.string(4).explicit(),
  /** Namespace of the object. Required if `scope` is `Namespace`, not allowed otherwise. */
  namespace: t.string(5).explicit(),
}) {}

/** Controller and parameters of an IngressClass. */
export class IngressClassSpec extends shape({
  /**
   * Name of the controller that handles Ingresses of this class: a domain-prefixed path such as
   * `example.com/ingress-controller`, at most 250 characters. Immutable.
   */
  controller: t.string(1),
  /** Reference to an object with further parameters for the controller. */
  parameters: t.object(2, IngressClassParametersReference).explicit(),
}) {}

/**
 * An IngressClass names the controller for a class of Ingresses. Set the annotation
 * `ingressclass.{label}/is-default-class` to `true` to make it the class of Ingresses that name none.
 */
export class IngressClass extends kind({
  /** Desired controller and parameters of the class. */
  spec: t.object(2, IngressClassSpec),
}) {}

const MAX_CONTROLLER = 250
const SCOPES = ['Cluster', 'Namespace']

export const ingressClasses = resource(IngressClass, {
  plural: 'ingressclasses',
  scope: 'cluster',
  deleteAnswers: 'status',
  columns: [
    nameColumn,
    column('Controller', 'string', ({ spec }) => spec.controller ?? '', {
      description: 'Controller that handles Ingresses of the class.',
    }),
    column('Parameters', 'string', ({ spec }) => parametersText(spec.parameters), {
      description: 'Object with parameters for the controller.',
    }),
    ageColumn,
  ],

  setDefaults({ spec }) {
    if (spec.parameters) spec.parameters.scope ??= 'Cluster'
  },

  prepareForCreate: ({ metadata }) => {
    metadata.generation = 1
  },

  prepareForUpdate(next, old) {
    if (!sameValue(next.spec, old.spec)) {
      next.metadata.generation = raised(old.metadata)
    }
  },

  validate({ spec: { controller = '', parameters } }, errors) {
    const at = errors.at('spec', 'controller')
    if (Buffer.byteLength(controller) > MAX_CONTROLLER) at.tooLong(MAX_CONTROLLER)
    if (controller === '') at.required()
    else at.invalidAll(controller, isDomainPrefixedPath(controller))
    if (parameters) validateParameters(parameters, errors.at('spec', 'parameters'))
  },

  validateUpdate: (next, old, errors) =>
    errors
      .at('spec', 'controller')
      .immutable(next.spec.controller ?? '', old.spec.controller ?? ''),
})

function validateParameters(
  parameters: IngressClassParametersReference,
  errors: FieldErrors,
): void {
  const { scope, namespace } = parameters
  validateTypedReference(parameters, errors)
  const at = errors.at('namespace')
  if (scope === undefined) errors.at('scope').required()
  else if (!SCOPES.includes(scope)) errors.at('scope').notSupported(scope, SCOPES)
  else if (scope === 'Cluster') {
    if (namespace !== undefined) at.forbidden("`parameters.scope` is set to 'Cluster'")
  } else if (namespace === undefined) at.required("`parameters.scope` is set to 'Namespace'")
  else at.invalidAll(namespace, isDns1123Label(namespace))
}

function parametersText(parameters: IngressClassParametersReference | undefined): string {
  if (!parameters) return '<none>'
  const { apiGroup, kind: ofKind, name } = parameters
  return `${ofKind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`
}

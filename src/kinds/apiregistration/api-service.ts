import { formatTime } from '../../base/time.ts'
import { type FieldErrors } from '../../meta/field-errors.ts'
import { isDns1035Label, isDns1123Subdomain, isPortNumber } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, part, resource } from '../../catalogue/resource.ts'
import { Many, t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { keepMetadata } from '../meta/keep-metadata.ts'

const { kind, shape } = group('apiregistration{api}/v1')

/** Reference to the Service of an extension API server. */
export class ServiceReference extends shape({
  /** Namespace of the Service. Required. */
  namespace: t.string(1),
  /** Name of the Service. Required. */
  name: t.string(2),
  /** Port of the Service that serves the API over HTTPS, 1 to 65535. Defaults to 443. */
  port: t.int32(3).explicit(),
}) {}

/** Server and priority of an API group version. */
export class APIServiceSpec extends shape({
  /** Service that requests for the group version are proxied to. Unset if this server handles them locally. */
  service: t.object(1, ServiceReference).explicit(),
  /** Name of the API group. Empty for the core group. */
  group: t.string(2),
  /** Version of the API group, such as `v1`. */
  version: t.string(3),
  /**
   * If true, the server certificate of the Service is not verified. Discouraged; must not be combined with `caBundle`.
   * Defaults to false.
   */
  insecureSkipTLSVerify: t.bool(4),
  /**
   * PEM-encoded CA certificates that the server certificate of the Service is verified with. Defaults to the system
   * trust roots of the API server.
   */
  caBundle: new Many<string>(5, { is: 'bytes' }).atomic(),
  /**
   * Minimum priority of the group in discovery, 1 to 20000; groups with a higher priority come first. The highest value
   * of all versions of the group counts.
   */
  groupPriorityMinimum: t.int32(7).required(),
  /**
   * Priority of the version within its group, 1 to 1000; higher comes first. Equal priorities are ordered by stability
   * and number, GA before beta before alpha.
   */
  versionPriority: t.int32(8).required(),
}) {}

/** One aspect of the observed state of an APIService. */
export class APIServiceCondition extends shape({
  /** Type of the condition; `Available` is the only one. */
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

/** Availability of an APIService as conditions. */
export class APIServiceStatus extends shape({
  /** Current conditions of the APIService, by type. */
  conditions: t.list(1, APIServiceCondition).keyed('type').patchBy('type'),
}) {}

/** An APIService registers an API group version and the server that handles it. Its name is `<version>.<group>`. */
export class APIService extends kind({
  /** Desired registration of the group version. */
  spec: t.object(2, APIServiceSpec),
  /** Most recently observed state. Set by the server; read-only for users. */
  status: t.object(3, APIServiceStatus),
}) {}

const CONDITION_STATUSES = ['False', 'True', 'Unknown']

export const apiServices = resource(APIService, {
  plural: 'apiservices',
  scope: 'cluster',
  categories: ['api-extensions'],
  needsVersionOnUpdate: true,
  takesPlainFinalizers: true,
  deleteAnswers: 'status',
  // The name follows from the spec, which `validate` checks.
  nameRule: () => [],
  columns: [
    nameColumn,
    column(
      'Service',
      'string',
      ({ spec: { service } }) =>
        service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local',
      { description: 'Service that handles the group version, or Local.' },
    ),
    column('Available', 'string', availability, {
      description: 'Whether the group version is available.',
    }),
    ageColumn,
  ],

  subresources: {
    status: part('status', {
      unowned: ['metadata', 'spec'],
      prepareForUpdate: (next, old) => keepMetadata(next.metadata, old.metadata),
      validate(service, errors) {
        validateSpec(service, errors)
        for (const [i, { status }] of (service.status.conditions ?? []).entries()) {
          if (CONDITION_STATUSES.includes(status)) continue
          errors.at('status', 'conditions', i, 'status').notSupported(status, CONDITION_STATUSES)
        }
      },
    }),
  },

  setDefaults({ spec: { service } }) {
    if (service) service.port ??= 443
  },

  prepareForCreate(object, c) {
    object.status = {}
    if (object.spec.service) return
    object.status.conditions = [
      {
        type: 'Available',
        status: 'True',
        lastTransitionTime: formatTime(c.now),
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ]
  },

  validate: validateSpec,
})

function availability({ status }: APIService): string {
  const found = status.conditions?.find(({ type }) => type === 'Available')
  if (!found) return 'Unknown'
  const { reason = '' } = found
  return found.status === 'True' || reason === '' ? found.status : `${found.status} (${reason})`
}

function validateSpec({ metadata, spec }: APIService, errors: FieldErrors): void {
  const { group = '', version = '' } = spec
  const name = `${version}.${group}`
  if (metadata.name !== undefined && metadata.name !== name) {
    errors
      .at('metadata', 'name')
      .invalid(metadata.name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`)
  }
  const at = errors.at('spec')
  if (group !== '') at.at('group').invalidAll(group, isDns1123Subdomain(group))
  else if (version !== 'v1') at.at('group').required('only v1 may have an empty group')
  at.at('version').invalidAll(version, isDns1035Label(version))
  inRange(spec.groupPriorityMinimum, 20_000, at.at('groupPriorityMinimum'))
  inRange(spec.versionPriority, 1000, at.at('versionPriority'))
  validateTarget(spec, at)
}

function inRange(value: number, max: number, errors: FieldErrors): void {
  if (value < 1 || value > max) {
    errors.invalid(value, `must be positive and less than ${max}`)
  }
}

function validateTarget(spec: APIServiceSpec, errors: FieldErrors): void {
  const { service, caBundle, insecureSkipTLSVerify = false } = spec
  if (!service) {
    if (caBundle !== undefined) {
      errors.at('caBundle').invalid(caBundle, 'local APIServices may not have a caBundle')
    }
    if (insecureSkipTLSVerify) {
      errors
        .at('insecureSkipTLSVerify')
        .invalid(true, 'local APIServices may not have insecureSkipTLSVerify')
    }
    return
  }
  const at = errors.at('service')
  if (service.namespace === undefined) at.at('namespace').required()
  if (service.name === undefined) at.at('name').required()
  const { port = 443 } = service
  const wrong = isPortNumber(port)
  if (wrong.length > 0) at.at('port').invalid(port, `port is not valid: ${wrong.join(',')}`)
  if (insecureSkipTLSVerify && caBundle !== undefined) {
    errors.at('insecureSkipTLSVerify').invalid(true, 'may not be true if caBundle is present')
  }
}

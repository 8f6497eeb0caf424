import { formatTime } from '../../base/time.ts'
import { type FieldErrors } from '../../meta/field-errors.ts'
import { isDns1035Label, isDns1123Subdomain, isPortNumber } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, part, resource } from '../../catalogue/resource.ts'
import { Many, t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { keepMetadata } from '../meta/keep-metadata.ts'

const { kind, shape } = group('apiregistration{api}/v1')

/** A service in the cluster that serves an API. */
export class ServiceReference extends shape({
  /** Namespace of the service. */
  namespace: t.string(1),
  /** Name of the service. */
  name: t.string(2),
  /** Port of the service; 443 unless set. */
  port: t.int32(3).explicit(),
}) {}

/** Who serves a group version, and where it stands among others. */
export class APIServiceSpec extends shape({
  /** Service that requests are passed on to; none for what this server serves itself. */
  service: t.object(1, ServiceReference).explicit(),
  /** API group; empty for the core group. */
  group: t.string(2),
  /** Version of the group. */
  version: t.string(3),
  /** Whether the certificate of the service goes unchecked. */
  insecureSkipTLSVerify: t.bool(4),
  /** PEM certificates that the service's own is checked with; those of the system unless set. */
  caBundle: new Many<string>(5, { is: 'bytes' }).atomic(),
  /** Place of the group: groups with higher numbers come first. */
  groupPriorityMinimum: t.int32(7).required(),
  /** Place of the version in its group: higher numbers come first. */
  versionPriority: t.int32(8).required(),
}) {}

/** One aspect of how an API service fares. */
export class APIServiceCondition extends shape({
  /** Which aspect: `Available`. */
  type: t.string(1).required(),
  /** `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** When the status last changed. */
  lastTransitionTime: t.time(3),
  /** Why, as one word. */
  reason: t.string(4),
  /** Why, for people. */
  message: t.string(5),
}) {}

/** How an API service fares. */
export class APIServiceStatus extends shape({
  /** What is known about it. */
  conditions: t.list(1, APIServiceCondition).keyed('type').patchBy('type'),
}) {}

/** Makes a group version known, and says who serves it; its name is version, dot and group. */
export class APIService extends kind({
  /** Who serves it. */
  spec: t.object(2, APIServiceSpec),
  /** How it fares; kept by the server. */
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
      { description: 'Service that serves it, or Local.' },
    ),
    column('Available', 'string', availability, {
      description: 'Whether it can be reached.',
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

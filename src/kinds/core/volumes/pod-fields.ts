import { parseQuantity } from '../../../base/quantity.ts'
import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** Selects a field of the pod. */
export class ObjectFieldSelector extends shape(
  {
    /** API version in which the field path is interpreted. Defaults to `v1`. */
    apiVersion: t.string(1).default('v1'),
    /** Path of the field, for example `metadata.name` or `metadata.labels['app']`. Required. */
    fieldPath: t.string(2).required(),
  },
  { atomic: true },
) {}

/** Selects a resource limit or request of a container. */
export class ResourceFieldSelector extends shape(
  {
    /**
     * Name of the container. Required in volumes; defaults to the container itself in environment
     * variables.
     */
    containerName: t.string(1),
    /** Resource to read, for example `limits.cpu` or `requests.memory`. Required. */
    resource: t.string(2).required(),
    /**
     * Unit of the output: `1` or `1m` for cpu, powers such as `1k` or `1Mi` for the others. 0 and
     * unset mean 1.
     */
    divisor: t.quantity(3),
  },
  { atomic: true },
) {}

const NO_SUBSCRIPT = 'does not support subscript'

/** All field paths of pods that the conversion between versions knows. */
const POD_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.phase',
  'status.podIP',
  'status.podIPs',
]

/** Field paths allowed in volumes. */
export const VOLUME_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]

/**
 * Validates a field selector; reports to `errors`. `allowed` lists the valid paths in the order of
 * the error message; labels and annotations can always be subscripted.
 */
export function validateObjectFieldSelector(
  selector: ObjectFieldSelector,
  allowed: readonly string[],
  errors: FieldErrors,
): void {
  const at = errors.at('fieldPath')
  const { fieldPath } = selector
  const version = selector.apiVersion ?? ''
  if (version === '') return errors.at('apiVersion').required()
  if (fieldPath === '') return at.required()
  if (version !== 'v1') {
    return at.invalid(fieldPath, `error converting fieldPath: unsupported pod version: ${version}`)
  }
  const parts = splitSubscript(fieldPath)
  if (parts) {
    const [path, subscript] = parts
    if (path === 'metadata.labels') errors.invalidAll(subscript, isQualifiedName(subscript))
    else if (path === 'metadata.annotations') {
      errors.invalidAll(subscript, isQualifiedName(subscript.toLowerCase()))
    } else {
      at.invalid(fieldPath, `error converting fieldPath: field label ${NO_SUBSCRIPT}: ${fieldPath}`)
    }
    return
  }
  const path = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath
  if (!POD_FIELDS.includes(path)) {
    at.invalid(fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`)
  } else if (!allowed.includes(path)) at.notSupported(path, allowed)
}

/** `metadata.labels['app']` as its path and the text between the quotes; null when there is no subscript. */
function splitSubscript(path: string): [path: string, subscript: string] | null {
  const start = path.indexOf("['")
  if (start <= 0 || !path.endsWith("']") || path.length < start + 4) return null
  return [path.slice(0, start), path.slice(start + 2, -2)]
}

const READABLE: readonly string[] = ['limits', 'requests'].flatMap((of) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${of}.${name}`),
)
const HUGE_PAGES = /^(?:limits|requests)\.hugepages-/

const CPU_DIVISORS = ['1m', '1']
const BYTE_DIVISORS = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei'.split(', ')

/** Validates a resource selector; reports to `errors`. In volumes the container must be named. */
export function validateResourceFieldSelector(
  selector: ResourceFieldSelector,
  errors: FieldErrors,
  c: HookContext,
  where: 'volume' | 'environment',
): void {
  const { resource } = selector
  const isHugePages = HUGE_PAGES.test(resource) && c.gate('DownwardAPIHugePages')
  if (where === 'volume' && (selector.containerName ?? '') === '') {
    errors.at('containerName').required()
  } else if (resource === '') errors.at('resource').required()
  else if (!READABLE.includes(resource) && !isHugePages) {
    errors.at('resource').notSupported(resource, READABLE)
  }
  validateDivisor(resource, selector.divisor ?? '0', errors.at('divisor'), isHugePages)
}

function validateDivisor(
  resource: string,
  divisor: string,
  errors: FieldErrors,
  isHugePages: boolean,
): void {
  if (parseQuantity(divisor).nanos === 0n || !(READABLE.includes(resource) || isHugePages)) return
  const name = resource.slice(resource.indexOf('.') + 1)
  const allowed = name === 'cpu' ? CPU_DIVISORS : BYTE_DIVISORS
  if (allowed.includes(divisor)) return
  const list = allowed.join(name === 'cpu' ? ' and ' : ', ')
  const what = isHugePages ? 'hugepages' : name.replace('ephemeral-', 'local ephemeral ')
  errors.invalid(resource, `only divisor's values ${list} are supported with the ${what} resource`)
}

/** Sets the default divisor of a resource selector. Changes the selector. */
export function fillResourceFieldSelector(selector: ResourceFieldSelector): void {
  selector.divisor ??= '0'
}

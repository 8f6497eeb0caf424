import type { FieldErrors } from '../../meta/field-errors.ts'
import { isQualifiedName } from '../../meta/names.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

const HUGE_PAGES = 'hugepages-'
const CONTAINER_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])

const COUNTED = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]
const COUNTED_SET: ReadonlySet<string> = new Set(COUNTED)

const STANDARD: ReadonlySet<string> = new Set([
  ...CONTAINER_RESOURCES,
  ...['requests', 'limits'].flatMap((of) =>
    [...CONTAINER_RESOURCES].map((name) => `${of}.${name}`),
  ),
  'storage',
  'requests.storage',
  ...COUNTED,
])

/** Whether a resource is huge pages of some size. */
export const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES)

/** Whether a resource name without a domain is a standard one. */
export const isStandardResource = (name: string): boolean =>
  STANDARD.has(name) || isHugePages(name) || name.startsWith(`requests.${HUGE_PAGES}`)

/** Whether a resource name without a domain is allowed for containers. */
const isContainerResource = (name: string): boolean =>
  CONTAINER_RESOURCES.has(name) || isHugePages(name)

/** Whether a resource is native: without a domain, or with that of the cluster. */
const isNativeResource = (name: string, v: Vocabulary): boolean =>
  !name.includes('/') || name.includes(v.resolve('{label}/'))

/** Whether a resource is an extended one, `domain/name`, such as a device. */
export const isExtendedResource = (name: string, v: Vocabulary): boolean =>
  !isNativeResource(name, v) &&
  !name.startsWith('requests.') &&
  isQualifiedName(`requests.${name}`).length === 0

/** Whether amounts of a resource are whole numbers: objects and extended resources. */
export const isWholeResource = (name: string, v: Vocabulary): boolean =>
  !CONTAINER_RESOURCES.has(name) && (COUNTED_SET.has(name) || isExtendedResource(name, v))

/** Whether requests of a resource may stay below its limit. */
export const isOvercommitable = (name: string, v: Vocabulary): boolean =>
  isNativeResource(name, v) && !isHugePages(name)

/** Validates a resource name at a container; reports to `errors`. */
export function validateContainerResourceName(
  name: string,
  errors: FieldErrors,
  v: Vocabulary,
): void {
  if (CONTAINER_RESOURCES.has(name)) return
  const messages = isQualifiedName(name)
  errors.invalidAll(name, messages)
  if (messages.length > 0) return
  if (!name.includes('/')) {
    if (!isStandardResource(name)) {
      errors.invalid(name, 'must be a standard resource type or fully qualified')
    }
    if (!isContainerResource(name))
      errors.invalid(name, 'must be a standard resource for containers')
  } else if (!isExtendedResource(name, v)) {
    errors.invalid(name, "doesn't follow extended resource name standard")
  }
}

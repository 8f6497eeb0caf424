import type { FieldErrors } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'

/** Access modes of volumes, in the order of error messages. */
export const ACCESS_MODES = [
  'ReadOnlyMany',
  'ReadWriteMany',
  'ReadWriteOnce',
  'ReadWriteOncePod',
] as const

/** Access mode of a volume. */
export type AccessMode = (typeof ACCESS_MODES)[number]

const WITHOUT_ONE_POD = ACCESS_MODES.slice(0, 3)

/**
 * Validates access modes; reports to `errors`. ReadWriteOncePod needs its feature gate or a stored
 * object `old` that has it, and excludes other modes.
 */
export function validateAccessModes(
  modes: readonly AccessMode[] | undefined,
  errors: FieldErrors,
  c: HookContext,
  old: readonly AccessMode[] | undefined,
): void {
  const isOnePod = (mode: AccessMode) => mode === 'ReadWriteOncePod'
  const knowsOnePod = c.gate('ReadWriteOncePod') || old?.some(isOnePod) === true
  const known: readonly string[] = knowsOnePod ? ACCESS_MODES : WITHOUT_ONE_POD
  const wrong = modes?.filter((mode) => !known.includes(mode)) ?? []
  for (const mode of wrong) errors.notSupported(mode, known)
  if (modes?.some(isOnePod) && modes.some((mode) => !isOnePod(mode))) {
    errors.forbidden('may not use ReadWriteOncePod with other access modes')
  }
}

const SHORT: readonly (readonly [AccessMode, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

/** Access modes as tables show them: `RWO,ROX`. */
export const shortAccessModes = (modes: readonly AccessMode[] = []): string =>
  SHORT.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',')

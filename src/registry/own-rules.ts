/**
 * Violations of the rules of the version in which a client sent an object, where a webhook converts it for storage: these
 * rules hold for the write, not those of the storage version, and they are looked at before the webhook.
 */
import { paced, type Steps } from '../base/steps.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { HookContext } from '../catalogue/resource.ts'
import { type FieldError, FieldErrors, TooManyErrors } from '../meta/field-errors.ts'
import type { Typed } from '../meta/object-meta.ts'

/** By the converted object, as long as admission does not replace it. */
const verdicts = new WeakMap<Typed, readonly FieldError[]>()

/** What was found before an object was converted; undefined: nothing was looked at. */
export const ownViolations = (converted: Typed): readonly FieldError[] | undefined =>
  verdicts.get(converted)

/** Notes what was found in an object before it was converted. */
export const noteViolations = (converted: Typed, found: readonly FieldError[]): void =>
  void verdicts.set(converted, found)

/** Looks for violations in an object of `own`, the entry for objects of that version. */
export async function findViolations(
  own: ResourceEntry,
  object: Typed,
  c: HookContext,
): Promise<readonly FieldError[]> {
  const errors = new FieldErrors()
  const hasStatus = own.subresources.has('status')
  const sent = { ...object } as Typed & { status?: unknown }
  // The status is not what this write sets.
  if (hasStatus) delete sent.status
  try {
    await done(own.check(sent, errors))
    await done(own.strategy.validate?.(sent, errors, c))
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error
  }
  return hasStatus ? errors.list.filter(({ field }) => !isInStatus(field)) : errors.list
}

const isInStatus = (field: string): boolean => /^status(?:$|[.[])/.test(field)

const done = (steps: void | Steps<void>): void | Promise<void> => (steps ? paced(steps) : undefined)

/** Deletes objects and waits until they are gone. */
import type { ApiObject } from '../../client/transport.ts'
import { StatusError } from '../../meta/errors.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import { resourcePath } from './resources.ts'
import type { Selected } from './selection.ts'
import { until } from './until.ts'

/** How objects are deleted. */
export interface DeleteHow {
  /** Negative: as the object says. */
  readonly graceSeconds: number
  readonly cascade: string
  readonly isDryRun: boolean
}

const POLICIES: Readonly<Record<string, string>> = {
  background: 'Background',
  orphan: 'Orphan',
  foreground: 'Foreground',
  true: 'Background',
  false: 'Orphan',
}

/** The policy of `--cascade`. Throws for another word. */
export function policyOf(cascade: string): string {
  const policy = Object.hasOwn(POLICIES, cascade) ? POLICIES[cascade] : undefined
  if (policy === undefined) {
    throw new Fault(
      `error: invalid cascade value (${cascade}). Must be "background", "foreground", or "orphan"`,
    )
  }
  return policy
}

/** Deletes one object; gives its uid, to know when it is gone. */
export async function deleteOne(c: Context, what: Selected, how: DeleteHow): Promise<string> {
  const api = await c.api()
  const answer = await api.json<ApiObject & { details?: { uid?: string } }>({
    method: 'DELETE',
    path: resourcePath(what.of, what.namespace, what.name),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: policyOf(how.cascade),
      ...(how.graceSeconds < 0 ? {} : { gracePeriodSeconds: how.graceSeconds }),
      ...(how.isDryRun ? { dryRun: ['All'] } : {}),
    },
  })
  return answer.details?.uid ?? answer.metadata?.uid ?? ''
}

/** Waits until an object is gone, or another one has its name. */
export async function untilGone(
  c: Context,
  what: Selected,
  { uid, timeoutMs }: { readonly uid: string; readonly timeoutMs: number },
): Promise<void> {
  try {
    await until(c, what, {
      timeoutMs,
      isDone: (object) => object === null || (uid !== '' && object.metadata.uid !== uid),
    })
  } catch (error) {
    // Users that may delete but not read have seen what they can see.
    const isHidden = error instanceof StatusError && (error.code === 403 || error.code === 405)
    if (!isHidden) throw error
  }
}

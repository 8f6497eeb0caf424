import { formatTime } from '../../base/time.ts'
import type { HookContext } from '../../catalogue/resource.ts'
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition as Condition,
  CertificateSigningRequestStatus,
} from './certificate-signing-request.ts'

/** The conditions of one type. */
export const ofType = (
  { conditions = [] }: CertificateSigningRequestStatus,
  wanted: string,
): Condition[] => conditions.filter(({ type }) => type === wanted)

/**
 * Restores the stored decisions if their number is unchanged, so that clients that drop unknown fields of them do not
 * change them.
 */
export function keepDecisions(
  next: CertificateSigningRequestStatus,
  old: CertificateSigningRequestStatus,
): void {
  for (const type of ['Approved', 'Denied']) {
    const before = ofType(old, type)
    if (before.length !== ofType(next, type).length) continue
    let i = 0
    next.conditions =
      next.conditions?.map((one) => (one.type === type ? structuredClone(before[i++]!) : one)) ?? []
  }
  if (next.conditions?.length === 0) delete next.conditions
}

/** Sets the timestamps of conditions that have none. */
export function stampConditions(
  next: CertificateSigningRequest,
  old: CertificateSigningRequest,
  c: HookContext,
): void {
  const now = formatTime(c.now)
  for (const one of next.status.conditions ?? []) {
    one.lastUpdateTime ??= now
    one.lastTransitionTime ??=
      ofType(old.status, one.type).find(
        ({ status, lastTransitionTime }) => status === one.status && lastTransitionTime,
      )?.lastTransitionTime ?? now
  }
}

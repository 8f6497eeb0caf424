import type { ServiceAccount } from '../kinds/core/service-account.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** What a secret says about the account that it is a token of. */
export interface ClaimedAccount {
  readonly name: string
  /** Empty when it is not said. */
  readonly uid: string
}

/** Type of secrets with a token of a service account. */
export const tokenType = (v: Vocabulary): string => v.resolve('{label}/service-account-token')

/** Annotations by which a secret is a token of an account. */
export const claimOn = ({ metadata }: ServiceAccount, v: Vocabulary): Record<string, string> => ({
  [v.resolve('{label}/service-account.name')]: metadata.name ?? '',
  [v.resolve('{label}/service-account.uid')]: metadata.uid ?? '',
})

/** Reads the account that a secret says it is a token of. */
export function claimedAccount({ annotations = {} }: ObjectMeta, v: Vocabulary): ClaimedAccount {
  const read = (template: string): string => {
    const name = v.resolve(template)
    return Object.hasOwn(annotations, name) ? annotations[name]! : ''
  }
  return {
    name: read('{label}/service-account.name'),
    uid: read('{label}/service-account.uid'),
  }
}

/** Whether an account is the one that a secret speaks of, and no namesake. */
export const isClaimed = ({ name, uid }: ClaimedAccount, { metadata }: ServiceAccount): boolean =>
  name === metadata.name && (uid === '' || uid === metadata.uid)

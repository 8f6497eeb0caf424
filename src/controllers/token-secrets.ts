import type { ServiceAccount } from '../kinds/core/service-account.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** The service account that a token secret refers to. */
export interface ClaimedAccount {
  readonly name: string
  /** Empty when absent. */
  readonly uid: string
}

/** Type of secrets with a token of a service account. */
export const tokenType = (v: Vocabulary): string => v.resolve('{label}/service-account-token')

/** Annotations by which a secret is a token of an account. */
export const claimOn = ({ metadata }: ServiceAccount, v: Vocabulary): Record<string, string> => ({
  [v.resolve('{label}/service-account.name')]: metadata.name ?? '',
  [v.resolve('{label}/service-account.uid')]: metadata.uid ?? '',
})

/** Reads the reference to the account from a secret. */
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

/** Whether an account is the referenced one, and not another with the same name. */
export const isClaimed = ({ name, uid }: ClaimedAccount, { metadata }: ServiceAccount): boolean =>
  name === metadata.name && (uid === '' || uid === metadata.uid)

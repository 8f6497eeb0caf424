import { group } from '../../meta/object-meta.ts'
import { action, column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { TokenRequest, validateTokenRequest } from '../authentication/token-request.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { LocalObjectReference } from './local-object-reference.ts'
import { ObjectReference } from './object-reference.ts'

const { kind } = group('core/v1')

/** An identity for processes that run in pods. */
export class ServiceAccount extends kind({
  /** Secrets that pods of this account may use. Only the name of each reference is stored. */
  secrets: t.list(2, ObjectReference).patchBy('name'),
  /**
   * Secrets for pulling images. The admission plugin `ServiceAccount` adds them to pods of this
   * account that specify none.
   */
  imagePullSecrets: t.list(3, LocalObjectReference),
  /** Whether pods of this account get a token mounted. A pod can override it. Unset means true. */
  automountServiceAccountToken: t.bool(4).explicit(),
}) {}

/** Only the names of references to secrets are stored. */
function keepNames(account: ServiceAccount): void {
  if (account.secrets) {
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }))
  }
}

export const serviceAccounts = resource(ServiceAccount, {
  plural: 'serviceaccounts',
  short: ['sa'],
  scope: 'namespace',
  subresources: {
    token: action(TokenRequest, 'tokenRequest', { validate: validateTokenRequest }),
  },
  columns: [
    nameColumn,
    column('Secrets', 'string', (account) => account.secrets?.length ?? 0, {
      description: 'Number of referenced secrets.',
    }),
    ageColumn,
  ],
  prepareForCreate: keepNames,
  prepareForUpdate: keepNames,
})

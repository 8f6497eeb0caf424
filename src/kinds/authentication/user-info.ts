import { home, t } from '../../notation/shape.ts'

const { shape } = home('authentication{api}/v1')

/** Attributes of an authenticated user. */
export class UserInfo extends shape({
  /** User name, unique among the users at any one time. */
  username: t.string(1),
  /** Identifier that stays unique over time, even if a user name is reused. */
  uid: t.string(2),
  /** Names of the groups that the user is a member of. */
  groups: t.list(3, 'string'),
  /** Additional attributes from the authenticator, as lists of values by key. */
  extra: t.map(4, 'strings'),
}) {}

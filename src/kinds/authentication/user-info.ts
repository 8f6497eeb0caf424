import { home, t } from '../../notation/shape.ts'

const { shape } = home('authentication{api}/v1')

/** Who somebody is. */
export class UserInfo extends shape({
  /** Name that tells the user from all others at one time. */
  username: t.string(1),
  /** Value that tells the user from all others over time. */
  uid: t.string(2),
  /** Groups that the user is in. */
  groups: t.list(3, 'string'),
  /** What else is known. */
  extra: t.map(4, 'strings'),
}) {}

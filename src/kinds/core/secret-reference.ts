import { home, t } from '../../notation/shape.ts'

const { shape } = home('core/v1')

/** Refers to a secret in any namespace. */
export class SecretReference extends shape(
  {
    /** Name of the secret, unique in its namespace. */
    name: t.string(1),
    /** Namespace in which the secret is. */
    namespace: t.string(2),
  },
  { atomic: true },
) {}

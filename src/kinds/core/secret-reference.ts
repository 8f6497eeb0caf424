import { home, t } from '../../notation/shape.ts'

const { shape } = home('core/v1')

/** Names a secret of any namespace. */
export class SecretReference extends shape(
  {
    /** Name of the secret. */
    name: t.string(1),
    /** Namespace of the secret. */
    namespace: t.string(2),
  },
  { atomic: true },
) {}

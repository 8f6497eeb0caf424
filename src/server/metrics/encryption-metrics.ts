import type { ObserveTransformation } from '../../engine/encryption/transformer.ts'
import { transformationDuration, transformations } from '../../metrics/declared/storage.ts'
import type { Registry } from '../../metrics/registry.ts'

/** Measures the encryption and decryption of values. */
export const encryptionMetrics =
  (registry: Registry): ObserveTransformation =>
  (type, prefix, ms, isDone) => {
    registry
      .of(transformations)
      .with({
        transformation_type: type,
        transformer_prefix: prefix,
        status: isDone ? 'OK' : 'Unknown',
      })
      .inc()
    registry
      .of(transformationDuration)
      .with({ transformation_type: type })
      .observe(ms / 1000)
  }

import type { Shape } from '../../notation/shape.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** The declared type of a built-in kind; null for others. */
export async function shapeOf(
  apiVersion: string,
  kind: string,
  v: Vocabulary,
): Promise<Shape | null> {
  const { resources } = await import('../../kinds/index.ts')
  const home = apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`
  for (const { storage, versions = {} } of resources) {
    if (storage.shape.name !== kind) continue
    if (v.resolve(storage.shape.home) === home) return storage.shape
    for (const [version, { shape }] of Object.entries(versions)) {
      if (v.resolve(version) === home) return shape.shape
    }
  }
  return null
}

import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Protobuf } from './protobuf.ts'
import type { Shape } from '../notation/shape.ts'

/** The binary form of a kind; its implementation is loaded on first use. */
export interface LateProtobuf {
  load(): Promise<Protobuf>
}

/** The binary form of objects of a shape. */
export const protobufOfShape = (shape: Shape, v: Pick<Vocabulary, 'resolve'>): LateProtobuf => ({
  load: async () => (await import('./protobuf.ts')).protobufOf(shape, v),
})

import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Protobuf } from './protobuf.ts'
import type { Shape } from '../notation/shape.ts'

/** The binary form of a kind: what reads and writes it is loaded when the first client wants it. */
export interface LateProtobuf {
  load(): Promise<Protobuf>
}

/** The binary form of objects of a shape. */
export const protobufOfShape = (shape: Shape, v: Pick<Vocabulary, 'resolve'>): LateProtobuf => ({
  load: async () => (await import('./protobuf.ts')).protobufOf(shape, v),
})

import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Protobuf } from './protobuf.ts'
import type { Shape } from '../notation/shape.ts'

/** The binary form of a kind; its implementation is loaded on first use. */
export interface LateProtobuf {
  load(): Promise<Protobuf>
}

/** The binary form of objects of a shape. */
export function protobufOfShape(shape: Shape, v: Pick<Vocabulary, 'resolve'>): LateProtobuf {
  let loaded: Promise<Protobuf> | null = null
  return {
    load: () => (loaded ??= import('./protobuf.ts').then(({ protobufOf }) => protobufOf(shape, v))),
  }
}

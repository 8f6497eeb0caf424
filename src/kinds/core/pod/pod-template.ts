import { ObjectMeta } from '../../../meta/object-meta.ts'
import { home, t } from '../../../notation/shape.ts'
import { PodSpec } from './pod-spec.ts'

const { shape } = home('core/v1')

/** What the pods made from it look like. */
export class PodTemplateSpec extends shape({
  /** Labels, annotations and further metadata of the pods. */
  metadata: t.object(1, ObjectMeta),
  /** Spec of the pods. */
  spec: t.object(2, PodSpec),
}) {}

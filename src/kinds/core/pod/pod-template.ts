import { ObjectMeta } from '../../../meta/object-meta.ts'
import { home, t } from '../../../notation/shape.ts'
import { PodSpec } from './pod-spec.ts'

const { shape } = home('core/v1')

/** Metadata and spec of the pods that a controller creates from a template. */
export class PodTemplateSpec extends shape({
  /** Labels, annotations and other metadata of the created pods. */
  metadata: t.object(1, ObjectMeta),
  /** Desired behavior of the created pods. */
  spec: t.object(2, PodSpec),
}) {}

import { group } from '../../meta/object-meta.ts'
import { t } from '../../notation/shape.ts'
import { DeleteOptions } from '../meta/delete-options.ts'

const { kind } = group('policy/v1')
const { kind: older } = group('policy/v1beta1')

/** Asks a pod to go, as far as its disruption budget allows. */
export class Eviction extends kind({
  /** How the pod is deleted when it may go. */
  deleteOptions: t.object(2, DeleteOptions).explicit(),
}) {}

/** The same as older clients send it. */
export class EvictionV1beta1 extends older(
  {
    /** How the pod is deleted when it may go. */
    deleteOptions: t.object(2, DeleteOptions).explicit(),
  },
  { name: 'Eviction' },
) {}

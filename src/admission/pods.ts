/** What plugins about pods share. */
import type { Pod } from '../kinds/core/pod/pod.ts'
import type { Attributes } from './attributes.ts'

/** Whether a request is about pods, or one of their sub-resources. */
const isAboutPods = ({ resource }: Attributes): boolean =>
  resource.resource === 'pods' && resource.group === ''

/** Whether a request is about pods themselves and not a sub-resource. */
export const isPod = (attributes: Attributes): boolean =>
  attributes.subresource === '' && isAboutPods(attributes)

/** The pod that a create or an update would store. */
export const podOf = ({ object }: Attributes): Pod => object!.live as Pod

/** What plugins about pods share. */
import type { Pod } from '../kinds/core/pod/pod.ts'
import type { Attributes } from './attributes.ts'
import type { PluginResource } from './plugin.ts'

/** Pods themselves, without their sub-resources. */
export const PODS: readonly PluginResource[] = [{ group: '', resource: 'pods' }]

/** The pod that a create or an update would store. */
export const podOf = ({ object }: Attributes): Pod => object!.live as Pod

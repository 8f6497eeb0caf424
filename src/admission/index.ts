import type { AdmissionPlugin } from './plugin.ts'
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts'

/** Every plugin, in the order in which they run. */
export const admissionPlugins: readonly AdmissionPlugin[] = [namespaceLifecycle]

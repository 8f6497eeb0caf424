/** Targets of connect sub-resources, by the names that declarations use. */
import { nodeTarget } from './node.ts'
import { attachTarget, execTarget, logTarget, podTarget, portForwardTarget } from './pod.ts'
import { serviceTarget } from './service.ts'
import type { Connect } from './target.ts'

export const connects: Readonly<Record<string, Connect>> = {
  nodeProxy: nodeTarget,
  podAttach: attachTarget,
  podExec: execTarget,
  podLog: logTarget,
  podPortForward: portForwardTarget,
  podProxy: podTarget,
  serviceProxy: serviceTarget,
}

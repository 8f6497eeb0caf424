/** The public face of a server that is ready. */
import { RELEASE } from '../base/version-info.ts'
import type { Bounded } from './component-graph.ts'
import type { ServerParts } from './components/component.ts'
import type { RunningServer } from './options/server-options.ts'
import type { Settings } from './settings.ts'
import { shutDown } from './shut-down.ts'

/** Wraps the parts of a started server. */
export function runningServer(
  settings: Settings,
  parts: Readonly<ServerParts>,
  stop: (bounded: Bounded) => Promise<void>,
): RunningServer {
  const { api, listener, pki, kubeconfig } = parts
  let closing: Promise<void> | null = null
  return {
    url: listener.url,
    port: listener.port,
    vocabulary: settings.v.name,
    release: RELEASE,
    ca: pki.ca,
    get kubeconfig() {
      return kubeconfig.text
    },
    ...(kubeconfig.path === undefined ? {} : { kubeconfigPath: kubeconfig.path }),
    async settled() {
      await parts.bootstrapPolicy.settled
      await parts.flowControlObjects.idle()
      await parts.publishedAuthentication.settled
      await parts.apiServices.idle()
      await parts.controllers.idle()
    },
    async client(asked = {}) {
      const { inProcessClient } = await import('./in-process-client.ts')
      return inProcessClient(
        { api, authorizer: parts.authorization.authorizer, audit: parts.audit.trail },
        asked,
      )
    },
    close: () => (closing ??= shutDown(settings, parts, stop)),
  }
}

import { publishAuthentication } from '../bootstrap/authentication-config.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Publication of the authentication configuration. */
export interface PublishedAuthentication {
  /** Resolves when the publication at the start has finished or failed. */
  readonly settled: Promise<void>
}

/** Publishes the authentication configuration for extension servers, now and on every change, in the background. */
export const publishedAuthentication = ({ log }: Settings) =>
  component({
    name: 'publishedAuthentication',
    needs: ['api', 'objects', 'authentication', 'health', 'kubeconfig', 'serverService'],
    start({ api, objects, authentication, health }) {
      const publish = () =>
        publishAuthentication(api, objects, authentication.published()).catch((error: unknown) => {
          log.warn('the config map extension-apiserver-authentication cannot be written', {
            error: String(error),
          })
        })
      const settled = publish()
      health.progress.done('start-cluster-authentication-info-controller')
      authentication.onClientCaChange(() => void publish())
      return { part: { settled }, stop: () => settled }
    },
  })

import { publishAuthentication } from '../bootstrap/authentication-config.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Work on what other servers are told. */
export interface PublishedAuthentication {
  /** Resolves when they were told at the start, or that failed. */
  readonly settled: Promise<void>
}

/** Tells servers that stand behind this one how to know users, at the start and whenever that changes. */
export const publishedAuthentication = ({ log }: Settings) =>
  component({
    name: 'publishedAuthentication',
    needs: ['api', 'objects', 'authentication', 'health', 'kubeconfig', 'serverService'],
    start({ api, objects, authentication, health }) {
      const publish = () =>
        publishAuthentication(api, objects, authentication.published).catch((error: unknown) => {
          log.warn('what other servers are told of authentication cannot be written', {
            error: String(error),
          })
        })
      const settled = publish()
      health.progress.done('start-cluster-authentication-info-controller')
      authentication.onClientCaChange(() => void publish())
      return { part: { settled }, stop: () => settled }
    },
  })

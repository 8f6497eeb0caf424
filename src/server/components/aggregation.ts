import { extensionReach } from '../../registry/connect/target.ts'
import { errorText } from '../../base/error-text.ts'
import { systemClock } from '../../base/clock.ts'
import { readFlagFile } from '../../base/flag-file.ts'
import { forFlagSync } from '../../base/plain-reason.ts'
import { ApiServices } from '../../aggregation/api-services.ts'
import { DocumentDownloads } from '../../aggregation/document-downloads.ts'
import { DiscoveryOrder } from '../../aggregation/discovery-order.ts'
import { LocalVersions } from '../../aggregation/local-versions.ts'
import { RemoteServers, type ProxyCertificate } from '../../aggregation/remote-servers.ts'
import type { APIService } from '../../kinds/apiregistration/api-service.ts'
import type { ServiceResolver } from '../../client/service-address.ts'
import type { ProxyIdentity } from '../../pki/proxy-identity.ts'
import { serviceResolver } from '../service-resolver.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'
import type { OpenedStore } from './store.ts'

/** The proxy in front of extension servers. */
export interface Aggregation {
  readonly services: ApiServices
  readonly locals: LocalVersions
  readonly order: DiscoveryOrder
  readonly remotes: RemoteServers
  readonly documents: DocumentDownloads
  readonly resolve: ServiceResolver
  /** The certificate that this server shows to extension servers. */
  readonly certificate: () => Promise<ProxyCertificate>
  /** The identity that the servers made; null where a certificate is given. */
  readonly identity: (() => Promise<ProxyIdentity>) | null
  /** Calls back when the servers have made another identity. */
  onIdentity(changed: () => void): void
  /** Reports that every local group version has been registered. */
  registered(): void
}

/** Knows the servers of APIServices from the start on, and proxies requests to them. */
export const aggregation = (settings: Settings) =>
  component({
    name: 'aggregation',
    needs: ['api', 'catalogue', 'objects', 'store', 'definitions'],
    async start({ api, catalogue, objects, store }) {
      const { options, v, log } = settings
      const { refusesRedirects = true } = options.aggregation ?? {}
      const name = { group: v.resolve('apiregistration{api}'), resource: 'apiservices' }
      const services = new ApiServices(name.group)
      const [unfollow, shown] = await Promise.all([
        objects.follow<APIService>(name, services),
        proxyCertificate(settings, store),
      ])
      const resolve = serviceResolver(settings, objects)
      const reach = extensionReach(api)
      const remotes = new RemoteServers({
        services,
        resolve,
        reach,
        certificate: shown.certificate,
        refusesRedirects,
        log,
      })
      const documents = new DocumentDownloads({
        ...{ v, services, resolve, reach, certificate: shown.certificate },
        clock: settings.clock,
        onError: (apiservice, error) =>
          log.warn('the OpenAPI documents of an APIService cannot be read, retrying', {
            apiservice,
            error: errorText(error),
          }),
      })
      const locals = new LocalVersions(catalogue, v)
      let isRegistered = false
      const order = new DiscoveryOrder({
        ...{ v, services, locals, catalogue },
        // Without the resource nothing can be registered.
        isRegistered: () => isRegistered && catalogue.hasVersion(name.group, 'v1'),
      })
      const registered = () => void (isRegistered = true)
      return {
        part: { services, locals, order, remotes, documents, resolve, registered, ...shown },
        async stop() {
          unfollow()
          await documents.stop()
          remotes.close()
        },
      }
    },
  })

type Shown = Pick<Aggregation, 'certificate' | 'identity' | 'onIdentity'>

/** The certificate of the options, or one that the servers make when it is first needed. */
async function proxyCertificate(settings: Settings, store: OpenedStore): Promise<Shown> {
  const { proxyClientCertFile: certFile = '', proxyClientKeyFile: keyFile = '' } =
    settings.options.aggregation ?? {}
  if (certFile === '' && keyFile === '') return madeCertificate(settings, store)
  if (certFile === '') throw new Error('--proxy-client-key-file needs --proxy-client-cert-file')
  if (keyFile === '') throw new Error('--proxy-client-cert-file needs --proxy-client-key-file')
  const cert = await readFlagFile('proxy-client-cert-file', certFile)
  const key = await readFlagFile('proxy-client-key-file', keyFile)
  const { certificatePair } = await import('../../client/certificate-pair.ts')
  const certificate = forFlagSync('proxy-client-cert-file', () =>
    certificatePair({ server: '', cert, key, certFile, keyFile }),
  )
  return { certificate, identity: null, onIdentity: () => {} }
}

function madeCertificate({ v }: Settings, store: OpenedStore): Shown {
  let made: Promise<ProxyIdentity> | null = null
  let renewAtMs = 0
  const listeners: (() => void)[] = []
  const identity = () => {
    if (made && systemClock.now() < renewAtMs) return made
    const isFirst = renewAtMs === 0
    renewAtMs = Infinity
    made = (async () => {
      const { ensureProxyIdentity, endOf } = await import('../bootstrap/proxy-identity.ts')
      const found = await ensureProxyIdentity({ store, v, clock: systemClock })
      renewAtMs = endOf(found)
      if (!isFirst) for (const changed of listeners) changed()
      return found
    })()
    // The next call tries again.
    made.catch(() => (made = null))
    return made
  }
  return {
    identity,
    onIdentity: (changed) => void listeners.push(changed),
    certificate: async () => {
      const { cert, key } = await identity()
      return { cert, key }
    },
  }
}

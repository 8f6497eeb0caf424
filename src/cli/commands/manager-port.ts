/** Opens the port of the program that runs controllers. */
import { systemClock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { forFlag } from '../../base/plain-reason.ts'
import { loadKubeconfig } from '../../client/kubeconfig.ts'
import { DelegatedAccess } from '../../controller-manager/access.ts'
import { openPortAuthentication } from '../../controller-manager/authentication.ts'
import type { ControllerManager } from '../../controller-manager/controller-manager.ts'
import { publishedAuthentication } from '../../controller-manager/published-authentication.ts'
import { otherServer, type OtherServer } from '../../controller-manager/review-server.ts'
import { ownCertificate, renewedCertificate } from '../../controller-manager/own-certificate.ts'
import {
  serveManager,
  type ManagerPage,
  type PortCertificates,
  type Serving,
} from '../../controller-manager/serving.ts'
import type { Values } from '../../flags/flags.ts'
import { everyHour, openServingCertificates } from '../../server/serving-certificates.ts'
import type { portFlags } from './port-flags.ts'

type PortValues = Values<typeof portFlags>

/** What the port shows, and to whom it turns. */
interface PortParts {
  readonly manager: Pick<ControllerManager, 'server' | 'conditions'>
  readonly pageAt: (path: string) => ManagerPage | undefined
  readonly log: Log
}

/** Rejects with an Error that names the flag when it cannot be served. */
export async function openPort(values: PortValues, parts: PortParts): Promise<Serving> {
  const { manager, pageAt, log } = parts
  const clock = systemClock
  const closers: (() => unknown)[] = []
  const close = () => {
    for (const end of closers.splice(0)) end()
  }
  try {
    const authenticating = await serverOf(values, 'authentication-kubeconfig', closers)
    const authorizing = await serverOf(values, 'authorization-kubeconfig', closers)
    const own = () => manager.server()
    const access = new DelegatedAccess({
      authentication: authenticating ? () => authenticating.reach() : own,
      authorization: authorizing ? () => authorizing.reach() : own,
      clock,
      tokenTtlMs: values['authentication-token-webhook-cache-ttl'],
      allowedTtlMs: values['authorization-webhook-cache-authorized-ttl'],
      deniedTtlMs: values['authorization-webhook-cache-unauthorized-ttl'],
    })
    const authentication = await authenticationOf(values, { access, log, server: authenticating })
    closers.push(() => authentication.close())
    const certificates = await certificatesOf(values, log)
    closers.push(() => certificates.close())
    const serving = await serveManager({
      host: values['bind-address'],
      port: values['secure-port'],
      certificates,
      minTlsVersion: values['tls-min-version'],
      cipherSuites: values['tls-cipher-suites'],
      ...maxStreamsOf(values),
      sharesPort: values['permit-port-sharing'],
      authentication,
      alwaysAllow: values['authorization-always-allow-paths'],
      access,
      conditions: () => manager.conditions(),
      pageAt,
      ...{ clock, log },
    })
    return {
      url: serving.url,
      async close() {
        await serving.close()
        authenticating?.close()
        authorizing?.close()
      },
    }
  } catch (error) {
    close()
    throw error
  }
}

/** The server of a flag; null without. */
async function serverOf(
  values: PortValues,
  flag: 'authentication-kubeconfig' | 'authorization-kubeconfig',
  closers: (() => unknown)[],
): Promise<OtherServer | null> {
  if (values[flag] === '') return null
  const server = await forFlag(flag, async () =>
    otherServer(await loadKubeconfig(values[flag]), systemClock),
  )
  closers.push(() => server.close())
  return server
}

interface AuthenticationParts {
  readonly access: DelegatedAccess
  readonly log: Log
  readonly server: OtherServer | null
}

async function authenticationOf(values: PortValues, { access, log, server }: AuthenticationParts) {
  const isTolerated = values['authentication-tolerate-lookup-failure']
  const clientCaFile = values['client-ca-file']
  const proxyCaFile = values['requestheader-client-ca-file']
  const isMissing = clientCaFile === '' || proxyCaFile === ''
  const published =
    server && !values['authentication-skip-lookup'] && isMissing
      ? await publishedAuthentication(() => server.reach(), { isTolerated, log })
      : null
  return openPortAuthentication(
    {
      clientCaFile,
      requestHeader: {
        clientCaFile: proxyCaFile,
        usernameHeaders: values['requestheader-username-headers'],
        groupHeaders: values['requestheader-group-headers'],
        extraHeaderPrefixes: values['requestheader-extra-headers-prefix'],
        allowedNames: values['requestheader-allowed-names'],
      },
      published,
    },
    { tokens: access.tokens, clock: systemClock, log },
  )
}

async function certificatesOf(values: PortValues, log: Log): Promise<PortCertificates> {
  const certFile = values['tls-cert-file']
  const made = () => ownCertificate(values['bind-address'], values['cert-dir'], systemClock)
  let own = certFile === '' ? await made() : { cert: '', key: '' }
  const certificates = await openServingCertificates(
    {
      certFile,
      keyFile: values['tls-private-key-file'],
      sniCertKeys: values['tls-sni-cert-key'],
    },
    { servingCert: own.cert, servingKey: own.key },
    { clock: systemClock, log, loopback: false },
  )
  if (certFile !== '') return certificates
  const stop = everyHour({ clock: systemClock, log }, async () => {
    const next = await renewedCertificate(own, systemClock, made)
    if (next === own) return
    own = next
    certificates.replaceOwn({ servingCert: own.cert, servingKey: own.key })
  })
  return {
    ...certificates,
    get current() {
      return certificates.current
    },
    close() {
      void stop()
      certificates.close()
    },
  }
}

const maxStreamsOf = (values: PortValues): { readonly maxStreams?: number } => {
  const maxStreams = values['http2-max-streams-per-connection']
  return maxStreams === 0 ? {} : { maxStreams }
}

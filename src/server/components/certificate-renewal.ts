import { X509Certificate } from 'node:crypto'
import { systemClock } from '../../base/clock.ts'
import { ownCertificateExpiration } from '../../metrics/declared/access.ts'
import { writeRenewed, type Pki } from '../../pki/files.ts'
import { RENEW_BEFORE_MS, renewedPki } from '../../pki/pki.ts'
import { everyHour } from '../serving-certificates.ts'
import type { Settings } from '../settings.ts'
import { component, type ServerParts } from './component.ts'
import { pkiOptions } from './pki.ts'

const DAY_MS = 86_400_000

/**
 * Renews the certificates of the server and its administrator 30 days before their end, for servers that run for years: new
 * connections get the new one, and the kubeconfig is written anew. Other certificates are theirs to renew who made them:
 * their end is a warning, once a day. A metric has the time that is left for each.
 */
export const certificateRenewal = (settings: Settings) =>
  component({
    name: 'certificateRenewal',
    needs: ['pki', 'listener', 'kubeconfig'],
    start(parts) {
      const { metrics, log, clock } = settings
      const certificates = new OwnCertificates(settings, parts)
      const gauge = metrics.of(ownCertificateExpiration)
      metrics.onScrape(() => {
        for (const { name, leftMs } of certificates.left())
          gauge.with({ certificate: name }).set(leftMs / 1000)
      })
      const stop = everyHour({ clock, log }, async () => {
        await certificates.renew()
        certificates.warn()
      })
      return { part: null, stop }
    },
  })

class OwnCertificates {
  readonly #settings: Settings
  readonly #parts: Pick<ServerParts, 'listener' | 'kubeconfig'>
  #pki: Pki
  /** When each certificate was last warned of. */
  readonly #warnedMs = new Map<string, number>()

  constructor(
    settings: Settings,
    { pki, ...parts }: Pick<ServerParts, 'pki' | 'listener' | 'kubeconfig'>,
  ) {
    this.#settings = settings
    this.#parts = parts
    this.#pki = pki
  }

  get #nowMs(): number {
    return (this.#settings.inside.pkiClock ?? systemClock).now()
  }

  /** Each certificate, and for how long it is good. */
  left(): readonly { readonly name: string; readonly leftMs: number }[] {
    const { ca, adminCert } = this.#pki
    const named = {
      authority: ca,
      administrator: adminCert,
      serving: this.#parts.listener.serving(),
    }
    return Object.entries(named).map(([name, pem]) => ({
      name,
      leftMs: Date.parse(new X509Certificate(pem).validTo) - this.#nowMs,
    }))
  }

  async renew(): Promise<void> {
    const { options, log } = this.#settings
    const { listener, kubeconfig } = this.#parts
    const next = await renewedPki(this.#pki, pkiOptions(this.#settings))
    if (next === this.#pki) return
    if (options.dataDir !== undefined) await writeRenewed(options.dataDir, next, this.#pki)
    this.#pki = next
    listener.presentOwn(next)
    await kubeconfig.renew(next)
    log.info('certificates renewed', { until: new X509Certificate(next.servingCert).validTo })
  }

  warn(): void {
    const nowMs = this.#nowMs
    for (const { name: certificate, leftMs } of this.left()) {
      const isDue = nowMs - (this.#warnedMs.get(certificate) ?? -Infinity) >= DAY_MS
      if (leftMs > RENEW_BEFORE_MS || !isDue) continue
      this.#warnedMs.set(certificate, nowMs)
      const days = Math.max(0, Math.floor(leftMs / DAY_MS))
      this.#settings.log.warn('a certificate ends soon', { certificate, days })
    }
  }
}

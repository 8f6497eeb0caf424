import { secretsOfPod } from '../../authz/pod-references.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts'
import type { ServiceAccount } from '../../kinds/core/service-account.ts'
import { AccountArrivals } from '../account-arrivals.ts'
import type { Attributes, MutableAttributes } from '../attributes.ts'
import { forbiddenSecret, forbiddenVariable } from '../mountable-secrets.ts'
import { type NowOrLater, whenKnown } from '../now-or-later.ts'
import type { Plugin, PluginDeps, PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'
import { TokenVolumes } from '../token-volume.ts'

const DEFAULT = 'default'
const ACCOUNTS = { group: '', resource: 'serviceaccounts' }
const PODS = { group: '', resource: 'pods' }
const EPHEMERAL = 'ephemeralcontainers'

/** Texts that mean true. */
const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True']

/** How long a pod waits for the default account of its namespace, which a controller creates, and what that varies. */
const WAIT_MS = 900
const JITTER_MS = 900

/** Runs pods as service accounts: sets the default one, mounts its token, and limits the secrets that pods use. */
export const serviceAccount: PluginFactory = {
  name: 'ServiceAccount',
  defaultOn: true,
  create: (deps) => new ServiceAccounts(deps),
}

class ServiceAccounts implements Plugin {
  readonly resources = [PODS, { ...PODS, subresource: EPHEMERAL }]
  readonly replacesParts = true
  readonly #deps: PluginDeps
  readonly #arrivals: AccountArrivals
  readonly #tokens: TokenVolumes
  readonly #mirror: string
  readonly #enforce: string

  constructor(deps: PluginDeps) {
    this.#deps = deps
    this.#arrivals = new AccountArrivals(deps.objects, deps.clock)
    this.#tokens = new TokenVolumes(deps.v, deps.ids)
    this.#mirror = deps.v.resolve('{label}/config.mirror')
    this.#enforce = deps.v.resolve('{label}/enforce-mountable-secrets')
  }

  handles(operation: string): boolean {
    return operation === 'CREATE' || operation === 'UPDATE'
  }

  mutate(attributes: MutableAttributes): NowOrLater<void> {
    if (attributes.operation !== 'CREATE' || attributes.subresource !== '') return
    const pod = attributes.object!.live as Pod
    // What is refused here needs no other check of the object.
    if (this.#isMirror(pod)) return checkMirror(pod.spec, attributes)
    return this.#set(pod.spec, attributes)
  }

  validate(attributes: Attributes): NowOrLater<void> {
    const { operation, subresource } = attributes
    const isDebug = operation === 'UPDATE' && subresource === EPHEMERAL
    if (!isDebug && (operation !== 'CREATE' || subresource !== '')) return
    const pod = attributes.object!.live as Pod
    if (!isDebug && this.#isMirror(pod)) return checkMirror(pod.spec, attributes)
    return this.#check(pod, attributes)
  }

  #set(spec: PodSpec, attributes: MutableAttributes): NowOrLater<void> {
    spec.serviceAccountName ??= DEFAULT
    spec.serviceAccount = spec.serviceAccountName
    return whenKnown(this.#accountOf(spec, attributes), (account) =>
      this.#mount(spec, account, attributes),
    )
  }

  #mount(spec: PodSpec, account: ServiceAccount, attributes: MutableAttributes): void {
    const mounts = spec.automountServiceAccountToken ?? account.automountServiceAccountToken
    if (mounts !== false) this.#tokens.mount(spec, attributes.sharesParts === true)
    if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length) {
      spec.imagePullSecrets = account.imagePullSecrets.map((one) => ({ ...one }))
    }
    this.#limitSecrets(spec, account, attributes)
  }

  #check(pod: Pod, attributes: Attributes): NowOrLater<void> {
    const { spec } = pod
    if ((spec.serviceAccountName ?? '') === '') {
      const place = `${attributes.namespace}/${pod.metadata.name ?? ''}`
      throw refusalOf(attributes, `no service account specified for pod ${place}`)
    }
    return whenKnown(this.#accountOf(spec, attributes), (account) =>
      this.#limitSecrets(spec, account, attributes),
    )
  }

  #limitSecrets(spec: PodSpec, account: ServiceAccount, attributes: Attributes): void {
    if (!TRUE.includes(account.metadata.annotations?.[this.#enforce] ?? '')) return
    const why =
      attributes.subresource === EPHEMERAL
        ? forbiddenVariable('ephemeral container', spec.ephemeralContainers, account)
        : forbiddenSecret(spec, account)
    if (why !== null) throw refusalOf(attributes, why)
  }

  /** The account of a pod. Throws 403 when there is none. */
  #accountOf(
    { serviceAccountName: name = '' }: PodSpec,
    attributes: Attributes,
  ): NowOrLater<ServiceAccount> {
    const { namespace } = attributes
    const known = this.#deps.objects.known?.<ServiceAccount>(ACCOUNTS, namespace, name)
    return known ?? this.#lateAccount(name, attributes)
  }

  async #lateAccount(name: string, attributes: Attributes): Promise<ServiceAccount> {
    const { objects, ids } = this.#deps
    const { namespace } = attributes
    const look = () => objects.get<ServiceAccount>(ACCOUNTS, namespace, name)
    let found = await look()
    if (!found) {
      // Another server may have created it.
      await objects.fresh?.()
      found = await look()
    }
    if (!found && name === DEFAULT) {
      await this.#arrivals.wait(namespace, name, WAIT_MS + ids.fraction() * JITTER_MS)
      found = await look()
    }
    if (found) return found
    throw refusalOf(
      attributes,
      `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
    )
  }

  #isMirror({ metadata }: Pod): boolean {
    return Object.hasOwn(metadata.annotations ?? {}, this.#mirror)
  }
}

/** Mirrors of pods that a node runs by itself have no credentials of the cluster. */
function checkMirror(spec: PodSpec, attributes: Attributes): void {
  const refuse = (what: string) => {
    throw refusalOf(attributes, `a mirror pod may not ${what}`)
  }
  if ((spec.serviceAccountName ?? '') !== '') refuse('reference service accounts')
  if (secretsOfPod(spec).length > 0) refuse('reference secrets')
  for (const { projected } of spec.volumes ?? []) {
    if (projected?.sources?.some((source) => source.serviceAccountToken))
      refuse('use ServiceAccountToken volume projections')
  }
}

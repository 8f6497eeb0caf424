import type { Container } from '../kinds/core/pod/container.ts'
import type { EphemeralContainer } from '../kinds/core/pod/ephemeral-container.ts'
import type { PodSpec } from '../kinds/core/pod/pod-spec.ts'
import type { ServiceAccount } from '../kinds/core/service-account.ts'

/** Why a pod may not use a secret that its account does not list; null when it uses none. */
export function forbiddenSecret(spec: PodSpec, account: ServiceAccount): string | null {
  const { secrets, pullSecrets, suffix } = listed(account)
  for (const { secret } of spec.volumes ?? []) {
    if (!secret || secrets.has(secret.secretName ?? '')) continue
    return `volume with secret.secretName="${secret.secretName ?? ''}" ${suffix}`
  }
  const inContainers =
    forbiddenVariable('init container', spec.initContainers, account) ??
    forbiddenVariable('container', spec.containers, account)
  if (inContainers !== null) return inContainers
  const at = (spec.imagePullSecrets ?? []).findIndex(({ name = '' }) => !pullSecrets.has(name))
  if (at === -1) return null
  const { name = '' } = spec.imagePullSecrets![at]!
  return `imagePullSecrets[${at}].name="${name}" is not allowed because service account ${account.metadata.name!} does not reference that imagePullSecret`
}

/** The same for environment variables of containers. */
export function forbiddenVariable(
  kind: 'container' | 'init container' | 'ephemeral container',
  containers: readonly (Container | EphemeralContainer)[] | undefined,
  account: ServiceAccount,
): string | null {
  const { secrets, suffix } = listed(account)
  for (const { name, env = [] } of containers ?? []) {
    for (const variable of env) {
      const reference = variable.valueFrom?.secretKeyRef
      if (!reference || secrets.has(reference.name ?? '')) continue
      return `${kind} ${name} with envVar ${variable.name} referencing secret.secretName="${reference.name ?? ''}" ${suffix}`
    }
  }
  return null
}

const listed = ({ metadata, secrets = [], imagePullSecrets = [] }: ServiceAccount) => ({
  secrets: new Set(secrets.map(({ name = '' }) => name)),
  pullSecrets: new Set(imagePullSecrets.map(({ name = '' }) => name)),
  suffix: `is not allowed because service account ${metadata.name!} does not reference that secret`,
})

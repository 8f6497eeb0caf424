/** References of a pod or a persistent volume to other objects, which its node may therefore read. */
import type { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import type { PodSpec } from '../kinds/core/pod/pod-spec.ts'
import type { Volume } from '../kinds/core/volumes/volume.ts'

type AnyContainer = Pick<NonNullable<PodSpec['containers']>[number], 'env' | 'envFrom'>

function* containersOf(spec: PodSpec): Generator<AnyContainer> {
  yield* spec.initContainers ?? []
  yield* spec.containers ?? []
  yield* spec.ephemeralContainers ?? []
}

/** Volume plug-ins whose sources name a secret in the same way. */
const WITH_SECRET_REF = [
  'iscsi',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'scaleIO',
  'storageos',
] as const

const distinct = (names: readonly (string | undefined)[]): string[] => [
  ...new Set(names.filter((name): name is string => name !== undefined && name !== '')),
]

/** Names of the secrets that a pod refers to, each once. */
export function secretsOfPod(spec: PodSpec): string[] {
  const names: (string | undefined)[] = (spec.imagePullSecrets ?? []).map(({ name }) => name)
  for (const { env, envFrom } of containersOf(spec)) {
    for (const { secretRef } of envFrom ?? []) names.push(secretRef?.name)
    for (const { valueFrom } of env ?? []) names.push(valueFrom?.secretKeyRef?.name)
  }
  for (const volume of spec.volumes ?? []) {
    names.push(
      volume.secret?.secretName,
      volume.azureFile?.secretName,
      volume.csi?.nodePublishSecretRef?.name,
    )
    for (const member of WITH_SECRET_REF) names.push(volume[member]?.secretRef?.name)
    for (const { secret } of volume.projected?.sources ?? []) names.push(secret?.name)
  }
  return distinct(names)
}

/** Names of the config maps that a pod refers to, each once. */
export function configMapsOfPod(spec: PodSpec): string[] {
  const names: (string | undefined)[] = []
  for (const { env, envFrom } of containersOf(spec)) {
    for (const { configMapRef } of envFrom ?? []) names.push(configMapRef?.name)
    for (const { valueFrom } of env ?? []) names.push(valueFrom?.configMapKeyRef?.name)
  }
  for (const volume of spec.volumes ?? []) {
    names.push(volume.configMap?.name)
    for (const { configMap } of volume.projected?.sources ?? []) names.push(configMap?.name)
  }
  return distinct(names)
}

/** Names of the claims that a pod mounts, those that are made for it included, each once. */
export function claimsOfPod(podName: string, spec: PodSpec): string[] {
  return distinct((spec.volumes ?? []).map((volume) => claimOfVolume(podName, volume)))
}

const claimOfVolume = (podName: string, volume: Volume): string | undefined =>
  volume.persistentVolumeClaim?.claimName ??
  (volume.ephemeral ? `${podName}-${volume.name}` : undefined)

/** A secret in full. */
export interface SecretName {
  readonly namespace: string
  readonly name: string
}

/** The secrets that a node needs to mount a persistent volume; those for attaching alone are not for nodes. */
export function nodeSecretsOfVolume({ spec }: PersistentVolume): SecretName[] {
  if (!spec) return []
  const claimNamespace = spec.claimRef?.namespace ?? ''
  const found: SecretName[] = []
  const add = (name: string | undefined, namespace: string | undefined) => {
    const place = namespace === undefined || namespace === '' ? claimNamespace : namespace
    if (name !== undefined && name !== '' && place !== '') found.push({ namespace: place, name })
  }
  add(spec.azureFile?.secretName, spec.azureFile?.secretNamespace)
  for (const member of WITH_SECRET_REF) {
    const secret = spec[member]?.secretRef
    add(secret?.name, secret?.namespace)
  }
  const { nodePublishSecretRef, nodeStageSecretRef, nodeExpandSecretRef } = spec.csi ?? {}
  for (const secret of [nodePublishSecretRef, nodeStageSecretRef, nodeExpandSecretRef])
    add(secret?.name, secret?.namespace)
  return found
}

import type { Ids } from '../base/ids.ts'
import type { Container } from '../kinds/core/pod/container.ts'
import type { PodSpec } from '../kinds/core/pod/pod-spec.ts'
import type { Volume } from '../kinds/core/volumes/volume.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

const SUFFIX = 5

/** Mounts a volume with a token of the account into the containers that mount nothing at its place. */
export function mountToken(spec: PodSpec, v: Vocabulary, ids: Ids): void {
  const prefix = v.resolve('{system}-api-access-')
  const mountPath = v.resolve('/var/run/secrets/{label}/serviceaccount')
  const present = spec.volumes?.find((volume) => volume.name.startsWith(prefix))
  const name = present?.name ?? prefix + ids.suffix(SUFFIX)
  const isNeeded = [
    mountInto(spec.initContainers, name, mountPath),
    mountInto(spec.containers, name, mountPath),
  ].includes(true)
  if (present || !isNeeded) return
  const volume = tokenVolume(name, v.resolve('{system}-root-ca.crt'))
  spec.volumes = spec.volumes ? [...spec.volumes, volume] : [volume]
}

/** Mounts it into some containers; whether one of them needs it. */
function mountInto(
  containers: readonly Container[] | undefined,
  name: string,
  mountPath: string,
): boolean {
  let isNeeded = false
  for (const container of containers ?? []) {
    const { volumeMounts } = container
    if (volumeMounts?.some((mount) => mount.mountPath === mountPath)) continue
    const mount = { name, readOnly: true, mountPath }
    container.volumeMounts = volumeMounts ? [...volumeMounts, mount] : [mount]
    isNeeded = true
  }
  return isNeeded
}

/** Each pod has its own, which others may change. Made of flat literals, which the engine copies fastest. */
function tokenVolume(name: string, authorities: string): Volume {
  const serviceAccountToken = { expirationSeconds: 3607, path: 'token' }
  const certificate = { key: 'ca.crt', path: 'ca.crt' }
  const configMap = { name: authorities, items: [certificate] }
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' }
  const namespace = { path: 'namespace', fieldRef }
  const downwardAPI = { items: [namespace] }
  const sources = [{ serviceAccountToken }, { configMap }, { downwardAPI }]
  const projected = { sources, defaultMode: 0o644 }
  return { name, projected }
}

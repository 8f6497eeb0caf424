import type { Ids } from '../base/ids.ts'
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
  let isNeeded = false
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    if (container.volumeMounts?.some((mount) => mount.mountPath === mountPath)) continue
    const mount = { name, readOnly: true, mountPath }
    container.volumeMounts = [...(container.volumeMounts ?? []), mount]
    isNeeded = true
  }
  if (!present && isNeeded) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name, v)]
}

const tokenVolume = (name: string, v: Vocabulary): Volume => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      {
        configMap: {
          name: v.resolve('{system}-root-ca.crt'),
          items: [{ key: 'ca.crt', path: 'ca.crt' }],
        },
      },
      {
        downwardAPI: {
          items: [
            { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
          ],
        },
      },
    ],
    defaultMode: 0o644,
  },
})

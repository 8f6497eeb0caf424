import type { Ids } from '../base/ids.ts'
import { setOwn } from '../codec/json-scanner.ts'
import type { Container } from '../kinds/core/pod/container.ts'
import type { PodSpec } from '../kinds/core/pod/pod-spec.ts'
import type { ProjectedVolumeSource } from '../kinds/core/volumes/projected.ts'
import type { Volume } from '../kinds/core/volumes/volume.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

const SUFFIX = 5

/** Mounts volumes with tokens of their accounts into pods. */
export class TokenVolumes {
  readonly #ids: Ids
  readonly #prefix: string
  readonly #mountPath: string
  readonly #authorities: string
  /** Of all pods that share parts. */
  readonly #shared: ProjectedVolumeSource

  constructor(v: Vocabulary, ids: Ids) {
    this.#ids = ids
    this.#prefix = v.resolve('{system}-api-access-')
    this.#mountPath = v.resolve('/var/run/secrets/{label}/serviceaccount')
    this.#authorities = v.resolve('{system}-root-ca.crt')
    this.#shared = tokenSources(this.#authorities)
  }

  /**
   * Mounts a volume into the containers that mount nothing at its place. `sharesParts`: nothing that lies deeper than the spec is
   * changed, nor what this puts in.
   */
  mount(spec: PodSpec, sharesParts: boolean): void {
    const present = spec.volumes?.find((volume) => volume.name.startsWith(this.#prefix))
    const name = present?.name ?? this.#prefix + this.#ids.suffix(SUFFIX)
    const init = spec.initContainers && this.#mounted(spec.initContainers, name, sharesParts)
    const others = this.#mounted(spec.containers, name, sharesParts)
    if (init) spec.initContainers = init
    if (others) spec.containers = others
    if (present || (!init && !others)) return
    // Each pod has its own, which others may change.
    const projected = sharesParts ? this.#shared : tokenSources(this.#authorities)
    const volume: Volume = { name, projected }
    spec.volumes = spec.volumes ? [...spec.volumes, volume] : [volume]
  }

  /** Containers that mount it; null where none of them needs it. */
  #mounted(
    containers: readonly Container[],
    name: string,
    sharesParts: boolean,
  ): Container[] | null {
    const mountPath = this.#mountPath
    let changed: Container[] | null = null
    for (let i = 0; i < containers.length; i++) {
      const container = containers[i]!
      const { volumeMounts } = container
      if (volumeMounts?.some((mount) => mount.mountPath === mountPath)) continue
      const mount = { name, readOnly: true, mountPath }
      const mounts = volumeMounts ? [...volumeMounts, mount] : [mount]
      changed ??= [...containers]
      if (sharesParts) changed[i] = withMounts(container, mounts)
      else container.volumeMounts = mounts
    }
    return changed
  }
}

/** A copy; what is added to the result of a spread gives each object a shape of its own. */
function withMounts(container: Container, mounts: Container['volumeMounts']): Container {
  const from = container as unknown as Record<string, unknown>
  const copy: Record<string, unknown> = {}
  for (const name in from) setOwn(copy, name, from[name])
  copy['volumeMounts'] = mounts
  return copy as unknown as Container
}

/** Made of flat literals, which the engine copies fastest. */
function tokenSources(authorities: string): ProjectedVolumeSource {
  const serviceAccountToken = { expirationSeconds: 3607, path: 'token' }
  const certificate = { key: 'ca.crt', path: 'ca.crt' }
  const configMap = { name: authorities, items: [certificate] }
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' }
  const namespace = { path: 'namespace', fieldRef }
  const downwardAPI = { items: [namespace] }
  const sources = [{ serviceAccountToken }, { configMap }, { downwardAPI }]
  return { sources, defaultMode: 0o644 }
}

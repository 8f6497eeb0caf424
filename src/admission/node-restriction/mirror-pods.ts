import { claimsOfPod, configMapsOfPod, secretsOfPod } from '../../authz/pod-references.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { notFound } from '../../meta/errors.ts'
import { podOf } from '../pods.ts'
import type { OfNode } from './of-node.ts'

const NODES = { group: '', resource: 'nodes' }

/** Agents make pods that show those of their own files: bound to the node, owned by it, without references. */
export async function checkMirrorPod(of: OfNode): Promise<void> {
  const { attributes, node, deps, refuse } = of
  const pod = podOf(attributes)
  const shown = JSON.stringify(node)
  const mirror = deps.v.resolve('{label}/config.mirror')
  if (!Object.hasOwn(pod.metadata.annotations ?? {}, mirror)) {
    refuse(
      `pod does not have ${JSON.stringify(mirror)} annotation, node ${shown} can only create mirror pods`,
    )
  }
  if (pod.spec.nodeName !== node) {
    refuse(`node ${shown} can only create pods with spec.nodeName set to itself`)
  }
  await checkOwner(pod, of)
  const [first] = referencesOf(pod)
  if (first !== undefined) refuse(`node ${shown} can not create pods that reference ${first}`)
}

async function checkOwner(pod: Pod, { node, deps, refuse }: OfNode): Promise<void> {
  const shown = JSON.stringify(node)
  const [owner, ...others] = pod.metadata.ownerReferences ?? []
  if (others.length > 0) {
    refuse(`node ${shown} can only create pods with a single owner reference set to itself`)
  }
  const isOwn = owner?.apiVersion === 'v1' && owner.kind === 'Node' && owner.name === node
  if (!owner || !isOwn) {
    return refuse(`node ${shown} can only create pods with an owner reference set to itself`)
  }
  if (owner.controller !== true) {
    refuse(`node ${shown} can only create pods with a controller owner reference set to itself`)
  }
  if (owner.blockOwnerDeletion === true) {
    refuse(`node ${shown} must not set blockOwnerDeletion on an owner reference`)
  }
  const live = await deps.objects.get(NODES, '', node)
  if (!live) throw notFound(NODES, node)
  const { uid = '' } = live.metadata
  if (owner.uid !== uid) {
    refuse(`node ${owner.name} UID mismatch: expected ${owner.uid} got ${uid}`)
  }
}

function referencesOf({ metadata, spec }: Pod): string[] {
  return [
    ...((spec.serviceAccountName ?? '') === '' ? [] : ['a service account']),
    ...(secretsOfPod(spec).length === 0 ? [] : ['secrets']),
    ...(configMapsOfPod(spec).length === 0 ? [] : ['configmaps']),
    ...(claimsOfPod(metadata.name ?? '', spec).length === 0 ? [] : ['persistentvolumeclaims']),
  ]
}

import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { TokenRequest } from '../../kinds/authentication/token-request.ts'
import { notFound } from '../../meta/errors.ts'
import type { OfNode } from './of-node.ts'

const PODS = { group: '', resource: 'pods' }

/** Agents request tokens of service accounts for pods that run on their node. */
export async function checkPodToken({ attributes, node, deps, refuse }: OfNode): Promise<void> {
  const { operation, subresource, namespace, object } = attributes
  if (operation !== 'CREATE' || subresource !== 'token') return
  const { boundObjectRef: ref } = (object!.live as TokenRequest).spec
  const isBound = ref?.apiVersion === 'v1' && ref.kind === 'Pod' && (ref.name ?? '') !== ''
  if (!ref || !isBound) return refuse('node requested token not bound to a pod')
  const { name = '', uid = '' } = ref
  if (uid === '') return refuse('node requested token with a pod binding without a uid')
  // Another server may just have made or bound the pod.
  await deps.objects.fresh?.()
  const pod = await deps.objects.get<Pod>(PODS, namespace, name)
  if (!pod) throw notFound(PODS, name)
  if (uid !== pod.metadata.uid) {
    return refuse(
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  }
  if (pod.spec.nodeName === node) return
  return refuse('node requested token bound to a pod scheduled on a different node')
}

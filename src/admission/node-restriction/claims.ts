import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { describeChange } from '../../meta/describe-change.ts'
import { sameValue } from '../../meta/field-errors.ts'
import type { OfNode } from './of-node.ts'

/** Agents report how far they have resized a claim's volume, and nothing else. */
export function checkClaimStatus({ attributes, node, deps, refuse }: OfNode): void {
  const { operation, subresource, object, oldObject } = attributes
  if (subresource !== 'status') return refuse('may only update PVC status')
  if (operation !== 'UPDATE') return refuse(`unexpected operation ${JSON.stringify(operation)}`)
  const recovers = deps.gate('RecoverVolumeExpansionFailure')
  const before = rest(oldObject!.live as PersistentVolumeClaim, recovers)
  const after = rest(object!.live as PersistentVolumeClaim, recovers)
  if (sameValue(before, after)) return
  const change = describeChange('core.PersistentVolumeClaim', before, after)
  return refuse(
    `node ${JSON.stringify(node)} is not allowed to update fields other than status.capacity and status.conditions: ${change}`,
  )
}

/** What of a claim an agent must not change. */
function rest(claim: PersistentVolumeClaim, recovers: boolean): object {
  const { resourceVersion: _, managedFields: _owners, ...metadata } = claim.metadata
  const { capacity: _capacity, conditions: _conditions, ...status } = claim.status ?? {}
  const { resizeStatus: _resize, allocatedResources: _allocated, ...others } = status
  return { metadata, spec: claim.spec, status: recovers ? others : status }
}

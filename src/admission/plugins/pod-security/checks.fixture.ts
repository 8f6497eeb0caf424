/** Tables of pods that one check is asked about. */
import { describe, expect, test } from 'vitest'
import { codecOf, Decoding } from '../../../codec/codec.ts'
import { Pod } from '../../../kinds/core/pod/pod.ts'
import { kubernetes } from '../../../vocabulary/kubernetes.ts'
import { checkedPod, type Check } from './check.ts'

export interface CheckRow {
  readonly name: string
  readonly spec?: object
  readonly annotations?: Record<string, string>
  /** Minor releases that are asked; without it all of the check. */
  readonly in?: readonly number[]
  /** Reason and detail; null when the pod is allowed. */
  readonly found: readonly [string, string] | null
}

/** A container with a security context. */
export const box = (name: string, securityContext?: object, more: object = {}) => ({
  name,
  image: 'image',
  ...(securityContext ? { securityContext } : {}),
  ...more,
})

export const podFrom = (spec: object = {}, annotations: Record<string, string> = {}): Pod =>
  codecOf(Pod.shape).decode(
    { metadata: { name: 'pod', annotations }, spec: { containers: [box('a')], ...spec } },
    new Decoding(),
  ) as unknown as Pod

/** Asks a check about each row in each of its releases. */
export function checkTable(check: Check, rows: readonly CheckRow[]): void {
  describe(check.id, () => {
    for (const { name, spec, annotations, found, in: releases } of rows) {
      const pod = podFrom(spec, annotations)
      for (const release of releases ?? check.revisions.map(({ since }) => since)) {
        test(`${name}, in v1.${release}`, () => {
          const revision = check.revisions.findLast(({ since }) => since <= release)!
          const violation = revision.find(
            checkedPod(pod.metadata.annotations, pod.spec, kubernetes),
          )
          expect(violation && [violation.reason, violation.detail]).toEqual(found)
        })
      }
    }
  })
}

import { expect, test } from 'vitest'
import type { HookContext } from '../../../catalogue/resource.ts'
import { c, podOf, problems, web } from './pod.fixture.ts'

/** A case: name, members of the tested object, and expected violations, with `@` for its path. */
export type Row = readonly [name: string, given: object, expected: readonly string[]]

/** Tests a container with further members, in a pod whose spec has further members. */
export function containerTable(rows: readonly Row[], spec: object = {}): void {
  for (const [name, container, expected] of rows) {
    test(name, () => {
      expect(problems(podOf({ ...spec, containers: [web(container)] }))).toEqual(
        expected.map((text) => text.replace('@', 'spec.containers[0]')),
      )
    })
  }
}

/** Tests a pod whose spec has further members. */
export function specTable(rows: readonly Row[], hooks: HookContext = c): void {
  for (const [name, spec, expected] of rows) {
    test(name, () => {
      expect(problems(podOf(spec), hooks)).toEqual(
        expected.map((text) => text.replace('@', 'spec')),
      )
    })
  }
}

/** Changes of a pod that need another evaluation. */
import type { AnyContainer } from '../../../kinds/core/pod/containers.ts'
import type { Pod } from '../../../kinds/core/pod/pod.ts'
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts'

const SECCOMP = 'container.seccomp.security.alpha.{label}/'

/**
 * Whether an update can change what checks find: other containers, another image or seccomp annotation of one, or a
 * new ephemeral container. The rest of what they read is immutable.
 */
export function needsEvaluation(next: Pod, old: Pod, v: Vocabulary): boolean {
  const prefix = v.resolve(SECCOMP)
  const annotation = ({ metadata: { annotations = {} } }: Pod, key: string) =>
    Object.hasOwn(annotations, key) ? annotations[key] : undefined
  const differs = (container: AnyContainer, before: AnyContainer) => {
    const key = prefix + container.name
    return container.image !== before.image || annotation(next, key) !== annotation(old, key)
  }
  const listDiffers = (list: readonly AnyContainer[] = [], before: readonly AnyContainer[] = []) =>
    list.length !== before.length || list.some((one, i) => differs(one, before[i]!))
  if (listDiffers(next.spec.containers, old.spec.containers)) return true
  if (listDiffers(next.spec.initContainers, old.spec.initContainers)) return true
  const olds = new Map((old.spec.ephemeralContainers ?? []).map((one) => [one.name, one]))
  return (next.spec.ephemeralContainers ?? []).some((one) => {
    const before = olds.get(one.name)
    return before === undefined || differs(one, before)
  })
}

import { paced, type Steps } from '../../base/steps.ts'
import type { LimitRange } from '../../kinds/core/limit-range.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { Attributes } from '../attributes.ts'
import { claimProblems, podProblems } from '../limit-checks.ts'
import { ownResources, setDefaults } from '../limit-defaults.ts'
import { NamespacedObjects } from '../namespaced-objects.ts'
import { whenKnown } from '../now-or-later.ts'
import type { PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

/** Sets the limits and requests that pods leave out, and refuses pods and claims outside the limits of their namespace. */
export const limitRanger: PluginFactory = {
  name: 'LimitRanger',
  defaultOn: true,
  create({ v, objects, clock }) {
    const annotation = v.resolve('{label}/limit-ranger')
    const limitRanges = new NamespacedObjects<LimitRange>(objects, clock, {
      group: '',
      resource: 'limitranges',
    })
    return {
      handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
      resources: ['pods', 'persistentvolumeclaims'].map((resource) => ({ group: '', resource })),
      replacesParts: true,
      mutate(attributes) {
        if (!isCreateOfPod(attributes)) return
        return whenKnown(limitRanges.in(attributes.namespace), (found) => {
          if (!found) return
          if (attributes.sharesParts === true) ownResources(attributes.object!.live as Pod)
          for (const one of found) {
            try {
              setDefaults(attributes.object!.live as Pod, one, annotation)
            } catch (error) {
              throw refusalOf(attributes, (error as Error).message)
            }
          }
        })
      },
      validate(attributes) {
        const { operation, resource, oldObject } = attributes
        if (resource.resource === 'pods' && operation === 'UPDATE') return
        if (oldObject?.live.metadata.deletionTimestamp !== undefined) return
        return whenKnown(limitRanges.in(attributes.namespace), (found) =>
          found ? check(found, attributes) : undefined,
        )
      },
      close: () => limitRanges.close(),
    }
  },
}

const isCreateOfPod = ({ operation, resource }: Attributes) =>
  operation === 'CREATE' && resource.resource === 'pods'

const problemsOf = ({ resource, object }: Attributes, one: LimitRange): Steps<string | null> =>
  resource.resource === 'pods'
    ? podProblems(object!.live as Pod, one)
    : claimProblems(object!.live as PersistentVolumeClaim, one)

async function check(found: readonly LimitRange[], attributes: Attributes): Promise<void> {
  for (const one of found) {
    const problems = await paced(problemsOf(attributes, one))
    if (problems !== null) throw refusalOf(attributes, problems)
  }
}

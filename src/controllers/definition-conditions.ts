/** Controllers that report in one condition what is wrong with a definition by itself. */
import type { Entry } from '../client/entry.ts'
import {
  approvalKey,
  approvalOf,
  approvalText,
  isProtectedGroup,
  type Approval,
} from '../kinds/apiextensions/approval.ts'
import {
  withCondition,
  type CustomResourceDefinition,
  type NewCondition,
} from '../kinds/apiextensions/custom-resource-definition.ts'
import { structureFault } from '../kinds/apiextensions/structure-fault.ts'
import { sameValue } from '../meta/field-errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { definitions } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { asleep, following, handled } from './following.ts'

const STRUCTURE = 'NonStructuralSchema'

/** What a condition of definitions reports. */
interface Finding {
  readonly controller: string
  /** Type of the condition, a template. */
  readonly type: string
  /** Whether a definition can have the condition; cheap. */
  concerns(entry: Entry<CustomResourceDefinition>, v: Vocabulary): boolean
  /** The condition of a definition; null: it has none, and loses one that it had. */
  of(
    definition: CustomResourceDefinition,
    v: Vocabulary,
  ): Promise<Omit<NewCondition, 'type'> | null>
}

/** Whether a definition of a protected group is approved. */
export const definitionApproval = reporting({
  controller: 'customresourcedefinition-approval',
  type: '{Brand}APIApprovalPolicyConformant',
  // The name of a definition ends in its group, and needs no schema to be read.
  concerns: ({ name }, v) => isProtectedGroup(name.slice(name.indexOf('.') + 1), v),
  async of({ metadata, spec }, v) {
    if (!isProtectedGroup(spec.group, v)) return null
    const text = approvalText(metadata, v)
    return APPROVALS[approvalOf(text)](text, approvalKey(v))
  },
})

const APPROVALS: Readonly<
  Record<Approval, (text: string, key: string) => Omit<NewCondition, 'type'>>
> = {
  approved: (text) => ({
    status: 'True',
    reason: 'ApprovedAnnotation',
    message: `approved in ${text}`,
  }),
  bypassed: (text) => ({
    status: 'False',
    reason: 'UnapprovedAnnotation',
    message: `not approved: ${JSON.stringify(text)}`,
  }),
  invalid: (text, key) => ({
    status: 'False',
    reason: 'InvalidAnnotation',
    message: `the annotation ${key} of a protected group must be the URL of the approval, or start with "unapproved": ${JSON.stringify(text)}`,
  }),
  missing: (_text, key) => ({
    status: 'False',
    reason: 'MissingAnnotation',
    message: `a protected group needs the annotation ${key}`,
  }),
}

/**
 * What is not structural about a definition. Only one that was stored under older rules has such a schema: those that
 * preserve unknown fields as a whole.
 */
export const definitionStructure = reporting({
  controller: 'customresourcedefinition-structure',
  type: STRUCTURE,
  concerns(entry) {
    // Most definitions say neither, and need not be read.
    if (!entry.mayContain('"preserveUnknownFields":true') && !entry.mayContain(`"${STRUCTURE}"`))
      return false
    const { spec, status } = entry.object
    return (
      spec.preserveUnknownFields === true ||
      status.conditions?.some(({ type }) => type === STRUCTURE) === true
    )
  },
  async of({ spec }, v) {
    const fault = await structureFault(spec, v)
    return fault && { status: 'True', ...fault }
  },
})

function reporting({ controller, type: template, concerns, of }: Finding): Controller {
  return {
    name: controller,
    async start(context) {
      const { informers, resources, signal, clock, v } = context
      const address = definitions(v)
      if (!(await resources.serves(address))) return asleep
      const client = context.clientFor(controller)
      const informer = informers.of<CustomResourceDefinition>(address)
      const type = v.resolve(template)
      const queue = workQueue(context, controller, {
        async work(name) {
          const definition = informer.lister.get('', name)
          if (!definition) return
          const { metadata, status } = definition
          const condition = await of(definition, v)
          const before = status.conditions ?? []
          const conditions = condition
            ? withCondition(before, { type, ...condition }, clock.now())
            : before.filter((one) => one.type !== type)
          if (sameValue(conditions, before)) return
          const { resourceVersion } = metadata
          // The response is not needed.
          const written = client.resource(address).metadata().sub('status')
          const change = { metadata: { resourceVersion }, status: { conditions } }
          await written.patch(name, change, { type: 'merge' })
        },
      })
      const changed = (entry: Entry<CustomResourceDefinition>) => {
        if (concerns(entry, v)) queue.add(entry.name)
      }
      const end = await handled(informer, { add: changed, update: changed }, signal)
      return following(queue, client, [end])
    },
  }
}

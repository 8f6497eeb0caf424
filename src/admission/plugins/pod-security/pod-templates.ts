/** Pods and the templates of pods in the resources that have them. */
import type { CronJob } from '../../../kinds/batch/cron-job.ts'
import type { PodSpec } from '../../../kinds/core/pod/pod-spec.ts'
import type { PodTemplateSpec } from '../../../kinds/core/pod/pod-template.ts'
import type { PodTemplate } from '../../../kinds/core/pod-template-object.ts'
import type { Typed } from '../../../meta/object-meta.ts'
import type { ResourceName } from '../../../meta/resource-name.ts'

/** Annotations and spec of pods. */
export interface FoundPod {
  readonly annotations: Readonly<Record<string, string>> | undefined
  readonly spec: PodSpec
}

type TemplateOf = (object: Typed) => PodTemplateSpec | undefined

const inSpec: TemplateOf = (object) =>
  (object as Typed & { spec?: { template?: PodTemplateSpec } }).spec?.template

const TEMPLATES: Readonly<Record<string, Readonly<Record<string, TemplateOf>>>> = {
  '': {
    podtemplates: (object) => (object as PodTemplate).template,
    replicationcontrollers: inSpec,
  },
  apps: { replicasets: inSpec, deployments: inSpec, statefulsets: inSpec, daemonsets: inSpec },
  batch: {
    jobs: inSpec,
    cronjobs: (object) => (object as CronJob).spec?.jobTemplate?.spec?.template,
  },
}

/** The resources that create pods of templates. */
export const RESOURCES_WITH_TEMPLATES: readonly ResourceName[] = Object.entries(TEMPLATES).flatMap(
  ([group, resources]) => Object.keys(resources).map((resource) => ({ group, resource })),
)

/** How to find the template in objects of a resource; undefined for other resources than these. */
export const templateOf = ({ group, resource }: ResourceName): TemplateOf | undefined =>
  TEMPLATES[group]?.[resource]

/** The pods of a template; null when there is none: a replication controller need not have one. */
export const podOf = (template: PodTemplateSpec | undefined): FoundPod | null =>
  template?.spec ? { annotations: template.metadata?.annotations, spec: template.spec } : null

/** Types of built-in kinds that commands read, by short names; types only. */
import type * as Kinds from '../../client/kinds.ts'

export type ServiceObject = Kinds.Service
export type DeploymentObject = Kinds.Deployment
export type DaemonSetObject = Kinds.DaemonSet
export type StatefulSetObject = Kinds.StatefulSet
export type ControllerRevisionObject = Kinds.ControllerRevision
export type PodObject = Kinds.Pod
export type NodeObject = Kinds.Node

/** Autoscalers for tests. */
import { merged } from '../apps/apps.fixture.ts'
import { c, read } from '../hooks.fixture.ts'
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler.ts'

/** What is scaled. */
export const scaleTargetRef = { kind: 'Deployment', name: 'web' }
const base = { metadata: { name: 'h' }, spec: { scaleTargetRef, maxReplicas: 3 } }
/** An autoscaler with these members of its spec. */
export const of = (spec: object = {}, more: object = {}) =>
  read(horizontalPodAutoscalers, merged(base, { spec }, more))
/** A request with these gates alone on. */
export const gate = (...names: string[]) => ({
  ...c,
  gate: (name: string) => names.includes(name),
})
/** A metric of processor time. */
export const resource = (target: object, more: object = {}) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', ...target }, ...more },
})
/** Processor time as a share. */
export const cpu = (averageUtilization: number) => resource({ averageUtilization })
const metric = { name: 'hits' }
/** A metric of something outside. */
export const external = (target: object, more: object = {}) => ({
  type: 'External',
  external: { metric, target: { type: 'Value', ...target }, ...more },
})
/** A metric of pods. */
export const pods = (target: object, more: object = {}) => ({
  type: 'Pods',
  pods: { metric, target: { type: 'AverageValue', ...target }, ...more },
})
/** A metric of an object. */
export const object = (target: object, more: object = {}) => ({
  type: 'Object',
  object: {
    metric,
    describedObject: scaleTargetRef,
    target: { type: 'Value', ...target },
    ...more,
  },
})
/** A metric of one container. */
export const container = (target: object, more: object = {}) => ({
  type: 'ContainerResource',
  containerResource: {
    name: 'cpu',
    container: 'c',
    target: { type: 'Utilization', ...target },
    ...more,
  },
})

/** Rules for more replicas as they are filled in. */
export const UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
/** Rules for fewer replicas as they are filled in. */
export const DOWN = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
}

import { MANDATORY_FLOW_SCHEMAS } from '../kinds/flowcontrol/flow-schema-rules.ts'
import { MANDATORY_PRIORITY_LEVELS } from '../kinds/flowcontrol/priority-level-configuration.ts'
import type { LevelObject, SchemaObject } from './flow-control.ts'

const imagined = <Spec>(specs: ReadonlyMap<string, Spec>) =>
  [...specs].map(([name, spec]) => [name, { metadata: { name }, spec }] as const)

/** Levels that are in force even while their objects do not exist. */
export const MANDATORY_LEVELS: readonly (readonly [string, LevelObject])[] =
  imagined(MANDATORY_PRIORITY_LEVELS)

/** Schemas that are in force even while their objects do not exist. */
export const MANDATORY_SCHEMAS: readonly (readonly [string, SchemaObject])[] =
  imagined(MANDATORY_FLOW_SCHEMAS)

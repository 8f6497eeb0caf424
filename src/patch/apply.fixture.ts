/** A kind with every merge strategy of apply, and abbreviations of paths. */
import { home, t } from '../notation/shape.ts'
import { fieldElement, indexElement, keyElement, type Path, valueElement } from './field-path.ts'
import { FieldSet } from './field-set.ts'

const { shape } = home('test/v1')

class Port extends shape({
  port: t.int32(1).required(),
  protocol: t.string(2).default('TCP'),
  name: t.string(3),
}) {}

class Env extends shape({ name: t.string(1).required(), value: t.string(2) }) {}

class Owner extends shape({ uid: t.string(1), name: t.string(2) }, { atomic: true }) {}

class Container extends shape({
  name: t.string(1).required(),
  image: t.string(2),
  args: t.list(3, 'string').atomic(),
  ports: t.list(4, Port).keyed('port', 'protocol').patchBy('port'),
  env: t.list(5, Env).patchBy('name'),
  limits: t.map(6, 'quantity'),
}) {}

class Strategy extends shape({ type: t.string(1), max: t.intOrString(2).explicit() }) {}

class Selector extends shape({ matchLabels: t.map(1, 'string') }, { atomic: true }) {}

class Inner extends shape({ label: t.string(1), tags: t.list(2, 'string').patchBy() }) {}

class Spec extends shape({
  replicas: t.int32(1).explicit(),
  paused: t.bool(2),
  containers: t.list(3, Container).required().patchBy('name'),
  owners: t.list(4, Owner).patchBy('uid'),
  plain: t.list(5, Env),
  set: t.list(6, 'string').set(),
  numbers: t.list(7, 'int32').set(),
  strategy: t.object(8, Strategy).explicit(),
  selector: t.object(9, Selector).explicit(),
  wholeMap: t.map(10, 'string').atomic(),
  byName: t.map(11, Inner),
  groups: t.map(12, 'strings'),
  raw: t.raw(13),
  any: t.any(14),
  '{agent}Items': t.list(15, Env).patch('merge,retainKeys', 'name'),
  inner: t.inline(16, Inner),
  when: t.time(17),
  data: t.bytes(18),
}) {}

class Meta extends shape({
  name: t.string(1),
  labels: t.map(2, 'string'),
  finalizers: t.list(3, 'string').patchBy(),
  annotations: t.map(4, 'string'),
}) {}

/** A kind that apply merges in every way. */
export class Thing extends shape(
  { metadata: t.object(1, Meta), spec: t.object(2, Spec), status: t.raw(3).explicit() },
  { typed: true },
) {}

/** A field by its name, an item by its place, its keys, or its value in a list of one. */
export type Step = string | number | object

/** A path in abbreviated form. */
export const path = (...steps: readonly Step[]): Path =>
  steps.map((step) => {
    if (typeof step === 'string') return fieldElement(step)
    if (typeof step === 'number') return indexElement(step)
    return Array.isArray(step) ? valueElement(step[0]) : keyElement(Object.entries(step))
  })

/** The set of these paths, each a list of steps. */
export const setOf = (...paths: readonly (readonly Step[])[]): FieldSet =>
  FieldSet.ofPaths(...paths.map((steps) => path(...steps)))

/** Shapes that have every way of merging, for the tests of patches. */
import { home, t } from '../notation/shape.ts'

const { shape } = home('test/v1')

class Port extends shape({
  port: t.int32(1).required(),
  protocol: t.string(2).default('TCP'),
  name: t.string(3),
}) {}

class Env extends shape({ name: t.string(1).required(), value: t.string(2) }) {}

class Source extends shape({ emptyDir: t.raw(1).explicit(), path: t.string(2) }) {}

class Volume extends shape({ name: t.string(1).required(), source: t.inline(2, Source) }) {}

class Container extends shape({
  name: t.string(1).required(),
  image: t.string(2),
  args: t.list(3, 'string'),
  ports: t.list(4, Port).keyed('port', 'protocol').patchBy('port'),
  env: t.list(5, Env).patchBy('name'),
  limits: t.map(6, 'quantity'),
}) {}

class Strategy extends shape({ type: t.string(1), max: t.intOrString(2).explicit() }) {}

class Selector extends shape({ matchLabels: t.map(1, 'string') }, { atomic: true }) {}

class Branch extends shape({ label: t.string(1), tags: t.list(2, 'string').patchBy() }) {}

class Spec extends shape({
  replicas: t.int32(1).explicit(),
  paused: t.bool(2),
  containers: t.list(3, Container).required().patchBy('name'),
  volumes: t.list(4, Volume).patch('merge,retainKeys', 'name'),
  tolerations: t.list(5, Env),
  keyedOnly: t.list(6, Env).keyed('name'),
  unkeyed: t.list(7, Env).patchBy(),
  numbers: t.list(8, 'int32').patchBy(),
  strategy: t.object(9, Strategy).patch('retainKeys'),
  selector: t.object(10, Selector).explicit(),
  whole: t.object(11, Selector).explicit().patch('replace'),
  byName: t.map(12, Branch),
  groups: t.map(13, 'strings'),
  raw: t.raw(14),
  any: t.any(15),
  '{agent}Items': t.list(16, Env).patch('merge', 'name'),
  source: t.inline(17, Source),
  inner: t.inline(18, Branch),
}) {}

class Meta extends shape({
  name: t.string(1),
  labels: t.map(2, 'string'),
  finalizers: t.list(3, 'string').patchBy(),
}) {}

/** A kind that merges in every way. */
export class Thing extends shape(
  { metadata: t.object(1, Meta), spec: t.object(2, Spec) },
  { typed: true },
) {}

/** Kinds that no server has built in. */
import type { Typed } from '../../src/meta/object-meta.ts'
import { ageColumn, nameColumn } from '../../src/kinds/columns.ts'
import { declaredEntries } from '../../src/catalogue/declared-entry.ts'
import type { ResourceVersions } from '../../src/catalogue/catalogue-snapshot.ts'
import { group } from '../../src/meta/object-meta.ts'
import { column, part, resource, type Resource } from '../../src/catalogue/resource.ts'
import { t } from '../../src/notation/shape.ts'
import type { Vocabulary } from '../../src/vocabulary/vocabulary.ts'

const v1 = group('example.com/v1')
const v2 = group('example.com/v2')

/** What a widget is to be. */
class WidgetSpec extends v1.shape({
  size: t.int32(1).explicit(),
  color: t.string(2),
}) {}

/** What it is. */
class WidgetStatus extends v1.shape({ ready: t.bool(1) }) {}

/** A thing of users. */
class Widget extends v1.kind({
  spec: t.object(2, WidgetSpec),
  status: t.object(3, WidgetStatus),
}) {}

/** The same, with another word for its size. */
class LaterSpec extends v2.shape({
  length: t.int32(1).explicit(),
  color: t.string(2),
}) {}

const Later = Object.defineProperty(
  class extends v2.kind({ spec: t.object(2, LaterSpec), status: t.object(3, WidgetStatus) }) {},
  'name',
  { value: 'Widget' },
)

const COMMON = {
  plural: 'widgets',
  scope: 'namespace',
  short: ['wd'],
  categories: ['all'],
} as const

interface Both {
  readonly spec: { readonly size?: number; readonly length?: number }
}

/** Renames what says how large a widget is. */
const renamed =
  (from: 'size' | 'length', to: 'size' | 'length') =>
  <T extends Typed>(object: Typed): T => {
    const { [from]: value, ...spec } = (object as Typed & Both).spec
    const renamedSpec = value === undefined ? spec : { ...spec, [to]: value }
    return { ...object, spec: renamedSpec } as unknown as T
  }

/** Widgets in version v1. */
export const widgets: Resource = resource(Widget, {
  ...COMMON,
  subresources: { status: part<Widget>('status') },
  columns: [
    nameColumn,
    column('Size', 'integer', (widget: Widget) => widget.spec?.size),
    ageColumn,
  ],
})

/** Widgets in both versions, of which the first is stored. */
export const widgetsStoredInV1: Resource = resource(Widget, {
  ...COMMON,
  versions: {
    'example.com/v2': {
      shape: Later,
      same: false,
      convertToStorage: renamed('length', 'size'),
      convertFromStorage: renamed('size', 'length'),
    },
  },
})

/** The same, of which the second is. */
export const widgetsStoredInV2: Resource = resource(Later, {
  ...COMMON,
  versions: {
    'example.com/v1': {
      shape: Widget,
      same: false,
      convertToStorage: renamed('size', 'length'),
      convertFromStorage: renamed('length', 'size'),
    },
  },
})

/** Another kind of the same group version. */
export const gadgets: Resource = resource(class Gadget extends v1.kind({}) {}, {
  plural: 'gadgets',
  scope: 'cluster',
})

const other = group('other.org/v1')

/** Things of another group that are called the same. */
export const otherWidgets: Resource = resource(
  Object.defineProperty(class extends other.kind({ weight: t.int32(2).explicit() }) {}, 'name', {
    value: 'Widget',
  }),
  { plural: 'widgets', scope: 'cluster' },
)

/** Entries of kinds, served in all their versions. */
export const entriesOf = (kinds: readonly Resource[], v: Vocabulary): ResourceVersions[] =>
  kinds.map((kind) => {
    const versions = declaredEntries(kind, v)
    return { versions, served: versions }
  })

export const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets'

/** A widget as clients send it. */
export const widget = (name: string, size: number, more: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, ...more },
  spec: { size, color: 'red' },
})

import type { Typed } from '../../../meta/object-meta.ts'
import { column, type Column } from '../../../catalogue/resource.ts'
import { describeLabelSelector, type LabelSelectorObject } from '../../../meta/selectors.ts'
import type { PodTemplateSpec } from './pod-template.ts'

type TemplateOf<T> = (object: T) => PodTemplateSpec | undefined

/** Labels as tables show them: sorted, `<none>` when there are none. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
  return entries.length === 0 ? '<none>' : entries.map(([k, v]) => `${k}=${v}`).join(',')
}

/** Names and images of the containers of a template. */
export const containerColumns = <T extends Typed>(
  templateOf: TemplateOf<T>,
  { wide }: { wide: boolean },
): Column<T>[] => {
  const containers = (object: T) => templateOf(object)?.spec.containers ?? []
  return [
    column(
      'Containers',
      'string',
      (o) =>
        containers(o)
          .map(({ name }) => name)
          .join(','),
      {
        wide,
        description: 'Names of the containers in the pod template.',
      },
    ),
    column(
      'Images',
      'string',
      (o) =>
        containers(o)
          .map(({ image = '' }) => image)
          .join(','),
      {
        wide,
        description: 'Images of the containers in the pod template.',
      },
    ),
  ]
}

/** The label selector of a workload, in wide output. */
export const selectorColumn = <T extends { readonly spec: { selector?: LabelSelectorObject } }>(
  text: (selector: LabelSelectorObject | undefined) => string = describeLabelSelector,
): Column<T> =>
  column('Selector', 'string', ({ spec }) => text(spec.selector), {
    wide: true,
    description: 'Label selector for the pods.',
  })

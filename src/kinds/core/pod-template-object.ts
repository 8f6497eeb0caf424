import { sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { nameColumn } from '../columns.ts'
import { fillPodTemplate } from './pod/defaults.ts'
import { dropGatedPodFields } from './pod/gates.ts'
import { PodTemplateSpec } from './pod/pod-template.ts'
import { containerColumns, labelsText } from './pod/template-columns.ts'
import { validatePodTemplate } from './pod/validate-pod-template.ts'
import { podWarnings } from './pod/warnings.ts'

const { kind } = group('core/v1')

/** A stored template for pods. No controller creates pods from it. */
export class PodTemplate extends kind({
  /** Metadata and spec for pods that are created from the template. */
  template: t.object(2, PodTemplateSpec),
}) {}

/** The pod templates of a namespace. */
export const podTemplates = resource(PodTemplate, {
  plural: 'podtemplates',
  scope: 'namespace',
  columns: [
    nameColumn,
    ...containerColumns<PodTemplate>(({ template }) => template, { wide: false }),
    column('Pod Labels', 'string', ({ template }) => labelsText(template.metadata.labels), {
      description: 'Labels of the created pods.',
    }),
  ],

  setDefaults: ({ template }, c) => fillPodTemplate(template, c),

  prepareForCreate({ metadata, template }, c) {
    metadata.generation = 1
    dropGatedPodFields(template.spec, null, c)
  },

  prepareForUpdate(next, old, c) {
    dropGatedPodFields(next.template.spec, old.template.spec, c)
    if (!sameValue(next.template, old.template)) {
      next.metadata.generation = raised(old.metadata)
    }
  },

  validate: ({ template }, errors, c, old) =>
    validatePodTemplate(template, errors.at('template'), c, old?.template.spec),

  warn: ({ metadata, template }, old, c) =>
    old && metadata.generation === old.metadata.generation
      ? []
      : podWarnings(template, c, 'template'),
})

import { sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { MutatingWebhook } from './webhook.ts'
import { fillWebhook, validateWebhooks } from './webhook-rules.ts'

const { kind } = group('admissionregistration{api}/v1')

/** A MutatingWebhookConfiguration lists admission webhooks that may change or reject objects before they are stored. */
export class MutatingWebhookConfiguration extends kind({
  /**
   * Mutating webhooks. Those that match a request are called one after the other; configurations are ordered by name.
   */
  webhooks: t.list(2, MutatingWebhook).patchBy('name'),
}) {}

export const mutatingWebhookConfigurations = resource(MutatingWebhookConfiguration, {
  plural: 'mutatingwebhookconfigurations',
  scope: 'cluster',
  takesPlainFinalizers: true,
  categories: ['api-extensions'],
  needsVersionOnUpdate: true,
  deleteAnswers: 'status',
  columns: [
    nameColumn,
    column('Webhooks', 'integer', ({ webhooks = [] }) => webhooks.length, {
      description: 'Number of webhooks in the configuration.',
    }),
    ageColumn,
  ],

  setDefaults({ webhooks = [] }) {
    for (const webhook of webhooks) {
      fillWebhook(webhook)
      webhook.reinvocationPolicy ??= 'Never'
    }
  },

  prepareForCreate({ metadata }) {
    metadata.generation = 1
  },

  prepareForUpdate(next, old) {
    if (!sameValue(next.webhooks, old.webhooks)) {
      next.metadata.generation = raised(old.metadata)
    }
  },

  validate: ({ webhooks }, errors, _c, old) =>
    validateWebhooks(webhooks, errors.at('webhooks'), old?.webhooks),
})

import { sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { ValidatingWebhook } from './webhook.ts'
import { fillWebhook, validateWebhooks } from './webhook-rules.ts'

const { kind } = group('admissionregistration{api}/v1')

/** A ValidatingWebhookConfiguration lists admission webhooks that may reject requests but not change objects. */
export class ValidatingWebhookConfiguration extends kind({
  /**
   * Validating webhooks. All that match a request are called in parallel; the request is rejected if any of them denies
   * it.
   */
  webhooks: t.list(2, ValidatingWebhook).patchBy('name'),
}) {}

export const validatingWebhookConfigurations = resource<ValidatingWebhookConfiguration>(
  ValidatingWebhookConfiguration,
  {
    plural: 'validatingwebhookconfigurations',
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
      for (const webhook of webhooks) fillWebhook(webhook)
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
  },
)

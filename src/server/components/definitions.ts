import { ConversionWebhooks } from '../../extend/conversion-webhook.ts'
import { ServedDefinitions } from '../../extend/definitions.ts'
import type { CustomResourceDefinition } from '../../kinds/apiextensions/custom-resource-definition.ts'
import { webhookResolver } from '../service-resolver.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Serves custom resource definitions, whichever server stored them. Ready when all established ones are served. */
export const definitions = (settings: Settings) =>
  component({
    name: 'definitions',
    needs: ['catalogue', 'objects'],
    async start({ catalogue, objects }) {
      const { v, clock, ids, log, inside, metrics, egress } = settings
      const onCall = inside.onWebhookCall
      const resolve = webhookResolver(settings, objects)
      const webhooks = new ConversionWebhooks({
        ...{ v, clock, ids, objects, resolve, egress, onCall, metrics },
      })
      const served = new ServedDefinitions(catalogue, webhooks, (definition, error) =>
        log.warn('a custom resource definition cannot be served', {
          definition,
          error: String(error),
        }),
      )
      const name = { group: v.resolve('apiextensions{api}'), resource: 'customresourcedefinitions' }
      const unfollow = await objects.follow<CustomResourceDefinition>(name, served)
      served.publish()
      return {
        part: null,
        stop() {
          unfollow()
          webhooks.close()
        },
      }
    },
  })

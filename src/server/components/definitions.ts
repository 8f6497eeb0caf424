import { ConversionWebhooks } from '../../extend/conversion-webhook.ts'
import { ServedDefinitions } from '../../extend/definitions.ts'
import type { CustomResourceDefinition } from '../../kinds/apiextensions/custom-resource-definition.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** What users define is served by every server, whoever wrote the definition; ready when all that is in force is served. */
export const definitions = ({ v, clock, ids, log }: Settings) =>
  component({
    name: 'definitions',
    needs: ['catalogue', 'objects'],
    async start({ catalogue, objects }) {
      const webhooks = new ConversionWebhooks({ v, clock, ids, objects })
      const served = new ServedDefinitions(catalogue, webhooks, (definition, error) =>
        log.warn('a definition is not served', { definition, error: String(error) }),
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

/** What users define is served by every server, whoever wrote the definition. */
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { ConversionWebhooks } from '../extend/conversion-webhook.ts'
import { ServedDefinitions } from '../extend/definitions.ts'
import type { CustomResourceDefinition } from '../kinds/apiextensions/custom-resource-definition.ts'
import type { LiveCatalogue } from '../catalogue/live-catalogue.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** What definitions are read from and served in. */
export interface DefinitionParts {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly ids: Ids
  readonly catalogue: LiveCatalogue
  readonly objects: ObjectSource
  readonly log: Log
}

/** Resolves when everything that is in force is served, and keeps it so. Returns what ends that. */
export async function serveDefinitions(parts: DefinitionParts): Promise<() => void> {
  const { v, catalogue, objects, log } = parts
  const webhooks = new ConversionWebhooks(parts)
  const served = new ServedDefinitions(catalogue, webhooks, (definition, error) =>
    log.warn('a custom resource definition cannot be served', { definition, error: String(error) }),
  )
  const name = { group: v.resolve('apiextensions{api}'), resource: 'customresourcedefinitions' }
  const stop = await objects.follow<CustomResourceDefinition>(name, served)
  served.publish()
  return () => {
    stop()
    webhooks.close()
  }
}

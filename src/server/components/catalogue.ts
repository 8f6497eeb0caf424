import { yieldToEventLoop } from '../../base/event-loop.ts'
import { buildCatalogue } from '../../catalogue/catalogue.ts'
import { resources } from '../../kinds/index.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Builds the catalogue of served resources. */
export const catalogue = ({ v, isEnabled }: Settings) =>
  component({
    name: 'catalogue',
    async start() {
      // The engine connects first: a remote store answers while this work runs.
      await yieldToEventLoop()
      return { part: buildCatalogue(resources, v, isEnabled) }
    },
  })

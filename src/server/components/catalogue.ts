import { yieldToEventLoop } from '../../base/event-loop.ts'
import { buildCatalogue } from '../../catalogue/catalogue.ts'
import { resources } from '../../kinds/index.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** The resources that are served. */
export const catalogue = ({ v, isEnabled }: Settings) =>
  component({
    name: 'catalogue',
    async start() {
      // What is far away is asked first, and waited for while this is made.
      await yieldToEventLoop()
      return { part: buildCatalogue(resources, v, isEnabled) }
    },
  })

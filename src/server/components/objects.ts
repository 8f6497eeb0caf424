import { objectSource } from '../object-source.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Decoded objects of the watch cache, for parts that follow or read them. */
export const objects = ({ log }: Settings) =>
  component({
    name: 'objects',
    needs: ['api'],
    start: ({ api }) => ({
      part: objectSource(api, (error) =>
        log.error('an event handler failed', { error: String(error) }),
      ),
    }),
  })

/** The project's own client over kinds that change, in this process and over HTTPS. */
import { EventEmitter, once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { clientOf, transports } from '../client/clients.fixture.ts'
import { gadgets, widget, widgets, widgetsStoredInV1, widgetsStoredInV2 } from './kinds.ts'
import { startLive, type LiveServer } from './server.ts'

interface Widget {
  metadata?: { name?: string; resourceVersion?: string }
  spec?: { size?: number; color?: string }
}
const WIDGETS = { group: 'example.com', version: 'v1', resource: 'widgets' }
const REQUESTS = 60

for (const transport of transports)
  describe(transport, () => {
    let live: LiveServer
    let client: Client
    const ours = () => client.resource<Widget>(WIDGETS).in('default')
    beforeEach(async () => {
      live = await startLive()
      client = await clientOf(live.server, transport)
    })
    afterEach(async () => {
      client.close()
      await live.close()
    })

    test('discovery tells what is served now', async () => {
      const named = async () => (await client.discover()).resources.map((one) => one.resource)
      expect(await named()).not.toContain('widgets')
      live.publish('one', widgets)
      expect(await named()).toContain('widgets')
      live.publish('one')
      expect(await named()).not.toContain('widgets')
      await expect(ours().list()).rejects.toMatchObject({ code: 404 })
    })

    test('an informer goes on in another storage version', async () => {
      live.publish('one', widgetsStoredInV1)
      await ours().create(widget('a', 1))
      const informer = ours().informer()
      const news = new EventEmitter()
      const seen: string[] = []
      const note = (line: string) => {
        seen.push(line)
        news.emit('news')
      }
      informer.addHandler({
        add: ({ key, object }) => note(`add ${key} ${object.spec?.size}`),
        update: ({ key, object }) => note(`update ${key} ${object.spec?.size}`),
        delete: ({ key }) => note(`delete ${key}`),
      })
      informer.start()
      await informer.synced()
      live.publish('one', widgetsStoredInV2)
      for (const size of [2, 3]) {
        await ours().patch('a', { spec: { size } })
        while (!seen.includes(`update default/a ${size}`)) await once(news, 'news')
      }
      expect(informer.lister.get('default', 'a')?.spec).toEqual({ size: 3, color: 'red' })
      expect(seen.filter((line) => line.startsWith('add'))).toEqual(['add default/a 1'])
      expect(seen.filter((line) => line.startsWith('delete'))).toEqual([])
      await informer.stop()
    })

    test('calls under way are answered whole, or find nothing', async () => {
      const forms = [[widgetsStoredInV2], [gadgets], [widgetsStoredInV1], [widgetsStoredInV2]]
      live.publish('one', widgetsStoredInV1)
      await ours().create(widget('a', 7))
      let answers = 0
      const faults: unknown[] = []
      const call = async (i: number) => {
        try {
          const one =
            i % 2 === 0
              ? await ours().get('a')
              : await ours().patch('a', { spec: { color: `c${i}` } })
          if (one.spec?.size !== 7 || Object.keys(one.spec).length !== 2) faults.push(one)
        } catch (error) {
          if ((error as { code?: number }).code !== 404) faults.push(error)
        }
        if (++answers % 3 === 0) live.publish('one', ...forms[(answers / 3) % forms.length]!)
      }
      await Promise.all(Array.from({ length: REQUESTS }, (_, i) => call(i)))
      expect(faults).toEqual([])
    })
  })

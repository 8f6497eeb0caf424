/** How the servers of a cluster authenticate users, as they tell others in a config map. */
import { PUBLISHED_NAME } from '../authn/published-configuration.ts'
import type { Log } from '../base/log.ts'
import { plainReason } from '../base/plain-reason.ts'
import type { ConfigMap } from '../kinds/core/config-map.ts'
import type { ReviewServer } from './access.ts'

/** What was published, by key. */
export type Published = Readonly<Record<string, string>>

/** The published configuration, followed. */
export interface PublishedAuthentication {
  readonly current: Published
  onChange(call: () => void): void
  stop(): Promise<void>
}

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' }

/** Reads it, and follows it from then on. Rejects with an Error when it cannot be read, unless that is tolerated. */
export async function publishedAuthentication(
  reach: () => Promise<ReviewServer>,
  { isTolerated, log }: { readonly isTolerated: boolean; readonly log: Log },
): Promise<PublishedAuthentication> {
  let current: Published = {}
  const listeners: (() => void)[] = []
  try {
    const { client, v } = await reach()
    const maps = client.resource<ConfigMap>(CONFIG_MAPS).in(v.resolve('{system}-system'))
    current = (await maps.get(PUBLISHED_NAME)).data ?? {}
    const informer = maps.informer({ fieldSelector: `metadata.name=${PUBLISHED_NAME}` })
    const changed = ({ object }: { readonly object: ConfigMap }) => {
      current = object.data ?? {}
      for (const call of listeners) call()
    }
    informer.addHandler({ add: changed, update: changed })
    informer.start()
    return view(() => informer.stop())
  } catch (error) {
    const why = `the authentication of the cluster cannot be looked up in ${PUBLISHED_NAME}: ${plainReason(error)}`
    if (!isTolerated) throw new Error(why, { cause: error })
    log.warn(why)
    return view(() => Promise.resolve())
  }

  function view(stop: () => Promise<void>): PublishedAuthentication {
    return {
      get current() {
        return current
      },
      onChange: (call) => void listeners.push(call),
      stop,
    }
  }
}

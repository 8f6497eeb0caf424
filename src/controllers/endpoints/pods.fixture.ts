import type { Clock } from '../../base/clock.ts'
import { formatTime } from '../../base/time.ts'

/** How a pod of a test is; ready, on node `n` and at 10.1.0.1 unless it says otherwise. */
export interface PodState {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly ips?: readonly string[]
  readonly node?: string
  readonly isReady?: boolean
  readonly phase?: string
  readonly isTerminating?: boolean
  readonly hostname?: string
  readonly subdomain?: string
  readonly ports?: readonly object[]
}

type Place = readonly [groupVersion: string, resource: string, namespace: string, name?: string]

/** The API of a test. */
interface Scene {
  readonly hand: {
    create(place: Place, object: object): Promise<unknown>
    patch(place: Place, change: object, subresource: string): Promise<unknown>
    delete(place: Place): Promise<void>
  }
  readonly clock: Pick<Clock, 'now'>
}

/** Makes pods that have the state that node agents would report. */
export const podMaker =
  ({ hand, clock }: Scene) =>
  async (state: PodState): Promise<void> => {
    const { name = 'p', labels = { app: 'x' }, ips = ['10.1.0.1'], node = 'n' } = state
    const { isReady = true, phase = 'Running', hostname, subdomain, ports = [] } = state
    await hand.create(['v1', 'pods', 'default'], {
      metadata: { name, labels, ...(state.isTerminating ? { finalizers: ['x.io/wait'] } : {}) },
      spec: {
        ...(node === '' ? {} : { nodeName: node }),
        ...(hostname === undefined ? {} : { hostname }),
        ...(subdomain === undefined ? {} : { subdomain }),
        containers: [{ name: 'c', image: 'x', ports }],
      },
    })
    const status = {
      phase,
      ...(ips.length === 0 ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
      conditions: [
        {
          type: 'Ready',
          status: isReady ? 'True' : 'False',
          lastTransitionTime: formatTime(clock.now()),
        },
      ],
    }
    const place = ['v1', 'pods', 'default', name] as const
    await hand.patch(place, { status }, 'status')
    if (state.isTerminating) await hand.delete(place)
  }

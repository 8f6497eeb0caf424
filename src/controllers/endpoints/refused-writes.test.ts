import { describe, expect, test } from 'vitest'
import { controllerScene } from '../../../test/controller-scene.ts'
import { endpointSliceController } from './endpoint-slice-controller.ts'
import { endpointsController } from './endpoints-controller.ts'
import { mirroringController } from './mirroring-controller.ts'

const SLICES = ['discovery{api}/v1', 'endpointslices', 'default'] as const
const ENDPOINTS = ['v1', 'endpoints', 'default'] as const

// A quota refuses them.
for (const { controller, place, spec, counted, told } of [
  {
    controller: endpointsController,
    place: ENDPOINTS,
    spec: { selector: { app: 'x' } },
    counted: 'count/endpoints',
    told: 'FailedToCreateEndpoint: Failed to create endpoint for service default/s: endpoints "s" is forbidden',
  },
  {
    controller: endpointSliceController,
    place: SLICES,
    spec: { selector: { app: 'x' } },
    counted: 'count/endpointslices.discovery.orch.io',
    told: 'FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default/s: endpointslices.discovery.orch.io',
  },
  {
    controller: mirroringController,
    place: SLICES,
    spec: {},
    counted: 'count/endpointslices.discovery.orch.io',
    told: 'FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Endpoints default/s: endpointslices.discovery.orch.io',
  },
] as const)
  describe(`writes of the controller ${controller.name} that are refused`, () => {
    const scene = controllerScene(controller)

    test('are reported as events, and tried again', async () => {
      const { hand, clock } = scene.context
      const hard = { [counted]: '0' }
      await hand.create(['v1', 'resourcequotas', 'default'], {
        metadata: { name: 'q' },
        spec: { hard },
      })
      const quota = ['v1', 'resourcequotas', 'default', 'q'] as const
      await hand.patch(quota, { status: { hard, used: hard } }, 'status')
      if (controller === mirroringController)
        await hand.create(ENDPOINTS, {
          metadata: { name: 's' },
          subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 80 }] }],
        })
      await hand.create(['v1', 'services', 'default'], {
        metadata: { name: 's' },
        spec: { ports: [{ port: 80 }], ...spec },
      })
      await scene.running.idle()
      const [name] = await hand.names(['v1', 'events', 'default'])
      const { type, reason, message } = await hand.get(['v1', 'events', 'default', name!])
      expect([type, `${reason}: ${message}`]).toEqual(['Warning', expect.stringContaining(told)])
      await hand.delete(quota)
      clock.advance(1_000)
      await scene.running.idle()
      const left = (await hand.names(place)).filter((one) => one === 's' || one.startsWith('s-'))
      expect(left).toHaveLength(1)
    })
  })

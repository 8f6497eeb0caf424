import { expect, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import { ensureServerService } from './server-service.ts'
import { startControllers } from '../../controllers/index.ts'
import { serverService } from '../../controllers/server-service.ts'
import { inProcess } from '../in-process.fixture.ts'

const at = (name: string) => ['v1', 'services', 'default', name] as const

test('a service whose address is taken is created when the address is free', async () => {
  const context = await inProcess()
  const { api, hand, clock } = context
  const place = {
    clusterIp: '10.0.0.1',
    bindAddress: '192.0.2.1',
    advertiseAddress: '192.0.2.1',
    port: 6443,
    log: silentLog,
  }
  await ensureServerService(api, place)
  const { clusterIP } = (await hand.get(at('orch'))).spec
  await hand.delete(at('orch'))
  await hand.create(at(''), {
    metadata: { name: 'other' },
    spec: { clusterIP, ports: [{ port: 80 }] },
  })
  const tries: string[] = []
  const running = startControllers(context.controllerContext, [
    serverService(async () => {
      tries.push('try')
      await ensureServerService(api, { ...place, throwsRefusals: true })
    }),
  ])
  await running.idle()
  expect([await hand.get(at('orch')), tries.length]).toEqual([null, 1])
  await hand.delete(at('other'))
  clock.advance(5)
  await running.idle()
  expect([(await hand.get(at('orch'))).spec.clusterIP, tries.length]).toEqual([clusterIP, 2])
  await running.stop()
  await context.close()
})

test('the service has a node port where one is given', async () => {
  const { api, hand, close } = await inProcess()
  await ensureServerService(api, {
    clusterIp: '10.0.0.1',
    bindAddress: '192.0.2.1',
    advertiseAddress: '192.0.2.1',
    port: 6443,
    nodePort: 30_443,
    log: silentLog,
  })
  const { spec } = await hand.get(at('orch'))
  expect([spec.type, spec.ports]).toEqual([
    'NodePort',
    [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443, nodePort: 30_443 }],
  ])
  await close()
})

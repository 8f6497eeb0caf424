import { describe, expect, test } from 'vitest'
import type { Node } from '../../kinds/core/node/node.ts'
import type { ConnectDependencies } from '../context.ts'
import { agentHost } from './node.ts'

const status = {
  addresses: [
    { type: 'ExternalIP', address: '198.51.100.7' },
    { type: 'InternalIP', address: '192.0.2.7' },
    { type: 'Hostname', address: 'node-7' },
    { type: 'InternalDNS', address: '' },
  ],
} as unknown as Node['status']

describe('the address of a node agent', () => {
  for (const [types, host] of [
    [undefined, 'node-7'],
    [[], 'node-7'],
    [['InternalIP', 'Hostname'], '192.0.2.7'],
    [['ExternalDNS', 'ExternalIP'], '198.51.100.7'],
    [['InternalDNS', 'ExternalIP'], '198.51.100.7'],
    [['ExternalDNS'], undefined],
  ] as const)
    test(`${types?.join(',') ?? 'by default'}: ${host ?? 'none'}`, () => {
      const api: Pick<ConnectDependencies, 'agentAddressTypes'> = types
        ? { agentAddressTypes: types }
        : {}
      expect(agentHost(api, status)).toBe(host)
    })
})

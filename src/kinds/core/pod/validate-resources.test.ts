import { describe } from 'vitest'
import { NEGATIVE } from './messages.fixture.ts'
import { containerTable } from './tables.fixture.ts'

const limits = (list: object, requests?: object) => ({
  resources: { limits: list, ...(requests && { requests }) },
})

describe('resources', () => {
  containerTable([
    [
      'the usual ones',
      limits({ cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi' }, { cpu: '500m' }),
      [],
    ],
    ['an extended one', limits({ 'example.com/gpu': '2' }), []],
    [
      'less than nothing',
      limits({ cpu: '-1' }),
      [
        `Invalid @.resources.limits[cpu]: Invalid value: "-1": ${NEGATIVE}`,
        `Invalid @.resources.requests[cpu]: Invalid value: "-1": ${NEGATIVE}`,
      ],
    ],
    [
      'a request above the limit',
      limits({ cpu: '1' }, { cpu: '1001m' }),
      [
        'Invalid @.resources.requests: Invalid value: "1001m": must be less than or equal to cpu limit',
      ],
    ],
    [
      'an unknown name',
      { resources: { requests: { disk: '1' } } },
      [
        'Invalid @.resources.requests[disk]: Invalid value: "disk": must be a standard resource type or fully qualified',
        'Invalid @.resources.requests[disk]: Invalid value: "disk": must be a standard resource for containers',
      ],
    ],
    [
      'a name that is not for containers',
      { resources: { requests: { storage: '1' } } },
      [
        'Invalid @.resources.requests[storage]: Invalid value: "storage": must be a standard resource for containers',
      ],
    ],
    [
      'a domain of the product',
      { resources: { requests: { 'orch.io/x': '1' } } },
      [
        `Invalid @.resources.requests[orch.io/x]: Invalid value: "orch.io/x": doesn't follow extended resource name standard`,
      ],
    ],
    [
      'part of a device',
      limits({ 'a.b/c': '1500m' }),
      [
        'Invalid @.resources.limits[a.b/c]: Invalid value: "1500m": must be an integer',
        'Invalid @.resources.requests[a.b/c]: Invalid value: "1500m": must be an integer',
      ],
    ],
    [
      'fewer devices than the limit',
      limits({ 'a.b/c': '2' }, { 'a.b/c': '1' }),
      ['Invalid @.resources.requests: Invalid value: "1": must be equal to a.b/c limit'],
    ],
    [
      'devices without limit',
      { resources: { requests: { 'a.b/c': '1' } } },
      [
        'Required @.resources.limits: Required value: limit must be set for non overcommitable resources',
      ],
    ],
    ['huge pages', limits({ 'hugepages-2Mi': '4Mi', memory: '1Gi' }), []],
    [
      'huge pages alone',
      limits({ 'hugepages-2Mi': '4Mi' }),
      ['Forbidden @.resources: Forbidden: HugePages require cpu or memory'],
    ],
    [
      'parts of huge pages',
      limits({ 'hugepages-2Mi': '3Mi', cpu: '1' }),
      [
        'Invalid @.resources.limits[hugepages-2Mi]: Invalid value: "3Mi": must be a multiple of the page size 2Mi',
        'Invalid @.resources.requests[hugepages-2Mi]: Invalid value: "3Mi": must be a multiple of the page size 2Mi',
      ],
    ],
  ])
})

import { describe, expect, test } from 'vitest'
import { podOf, privileged, problems, web } from './pod.fixture.ts'
import { containerTable } from './tables.fixture.ts'

const mount = (more: object, ...others: object[]) => ({
  volumeMounts: [{ name: 'v', mountPath: '/v', ...more }, ...others],
})
const device = (more: object, ...others: object[]) => ({
  volumeDevices: [{ name: 'd', devicePath: '/d', ...more }, ...others],
})

describe('mounts and devices', () => {
  const volumes = [{ name: 'v' }, { name: 'd', persistentVolumeClaim: { claimName: 'c' } }]
  containerTable(
    [
      ['both', { ...mount({ subPath: 'a/b' }), ...device({}) }, []],
      [
        'a mount of nothing',
        mount({ name: '', mountPath: '' }),
        [
          'Required @.volumeMounts[0].name: Required value',
          'Required @.volumeMounts[0].mountPath: Required value',
        ],
      ],
      ['no such volume', mount({ name: 'x' }), ['NotFound @.volumeMounts[0].name: Not found: "x"']],
      [
        'a path twice',
        mount({}, { name: 'v', mountPath: '/v' }),
        ['Invalid @.volumeMounts[1].mountPath: Invalid value: "/v": must be unique'],
      ],
      [
        'an absolute sub-path that goes up',
        mount({ subPath: '/a/../b' }),
        [
          'Invalid @.volumeMounts[0].subPath: Invalid value: "/a/../b": must be a relative path',
          `Invalid @.volumeMounts[0].subPath: Invalid value: "/a/../b": must not contain '..'`,
        ],
      ],
      [
        'both sub-paths',
        mount({ subPath: 'a', subPathExpr: '$(A)' }),
        [
          'Invalid @.volumeMounts[0].subPathExpr: Invalid value: "$(A)": subPathExpr and subPath are mutually exclusive',
        ],
      ],
      [
        'spreading both ways without privilege',
        mount({ mountPropagation: 'Bidirectional' }),
        [
          'Forbidden @.volumeMounts[0].mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
        ],
      ],
      [
        'an unknown way of spreading',
        mount({ mountPropagation: 'x' }),
        [
          'NotSupported @.volumeMounts[0].mountPropagation: Unsupported value: "x": supported values: "Bidirectional", "HostToContainer", "None"',
        ],
      ],
      [
        'a device of nothing',
        device({ name: '', devicePath: '' }),
        [
          'Required @.volumeDevices[0].name: Required value',
          'Required @.volumeDevices[0].devicePath: Required value',
        ],
      ],
      [
        'a device of no volume',
        device({ name: 'x' }),
        ['NotFound @.volumeDevices[0].name: Not found: "x"'],
      ],
      [
        'a device of a directory',
        device({ name: 'v' }),
        [
          'Invalid @.volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        ],
      ],
      [
        'a device that goes up',
        device({ devicePath: '/a/../b' }),
        [`Invalid @.volumeDevices[0].devicePath: Invalid value: "/a/../b": must not contain '..'`],
      ],
      [
        'a device twice',
        device({}, { name: 'd', devicePath: '/d' }),
        [
          'Invalid @.volumeDevices[1].name: Invalid value: "d": must be unique',
          'Invalid @.volumeDevices[1].devicePath: Invalid value: "/d": must be unique',
        ],
      ],
      [
        'one volume both ways at one place',
        { ...mount({ name: 'd', mountPath: '/d' }), ...device({}) },
        [
          'Invalid @.volumeMounts[0].name: Invalid value: "d": must not already exist in volumeDevices',
          'Invalid @.volumeMounts[0].mountPath: Invalid value: "/d": must not already exist as a path in volumeDevices',
          'Invalid @.volumeDevices[0].devicePath: Invalid value: "/d": must not already exist as a path in volumeMounts',
          'Invalid @.volumeDevices[0].name: Invalid value: "d": must not already exist in volumeMounts',
        ],
      ],
    ],
    { volumes },
  )
  test('privileged containers may spread mounts both ways', () => {
    const container = web({
      ...mount({ mountPropagation: 'Bidirectional' }),
      securityContext: { privileged: true },
    })
    expect(problems(podOf({ volumes, containers: [container] }), privileged)).toEqual([])
  })
})

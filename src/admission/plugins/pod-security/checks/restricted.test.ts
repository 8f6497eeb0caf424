import { box, checkTable } from '../checks.fixture.ts'
import { allowPrivilegeEscalation } from './allow-privilege-escalation.ts'
import { capabilitiesRestricted } from './capabilities-restricted.ts'
import { restrictedVolumes } from './restricted-volumes.ts'
import { runAsNonRoot } from './run-as-non-root.ts'
import { runAsUser } from './run-as-user.ts'
import { seccompProfileRestricted } from './seccomp-profile-restricted.ts'

const WINDOWS = { os: { name: 'windows' } }
const LINUX = { os: { name: 'linux' } }
const escalates = (allowPrivilegeEscalation: boolean) => ({ allowPrivilegeEscalation })

checkTable(allowPrivilegeEscalation, [
  { name: 'false', spec: { containers: [box('a', escalates(false))] }, found: null },
  {
    name: 'unset',
    spec: { ...LINUX, containers: [box('a')] },
    found: [
      'allowPrivilegeEscalation != false',
      'container "a" must set securityContext.allowPrivilegeEscalation=false',
    ],
  },
  {
    name: 'true and unset, in all kinds of containers',
    spec: {
      initContainers: [box('i', {})],
      containers: [box('a', escalates(true)), box('b', escalates(false))],
      ephemeralContainers: [box('e')],
    },
    found: [
      'allowPrivilegeEscalation != false',
      'containers "i", "a", "e" must set securityContext.allowPrivilegeEscalation=false',
    ],
  },
  {
    name: 'on Windows, before that made a difference',
    spec: WINDOWS,
    in: [8, 24],
    found: [
      'allowPrivilegeEscalation != false',
      'container "a" must set securityContext.allowPrivilegeEscalation=false',
    ],
  },
  { name: 'on Windows', spec: WINDOWS, in: [25], found: null },
])

const drops = (drop?: string[], add?: string[]) => ({
  capabilities: { ...(drop ? { drop } : {}), ...(add ? { add } : {}) },
})
const KEEPS = 'must set securityContext.capabilities.drop=["ALL"]'

checkTable(capabilitiesRestricted, [
  {
    name: 'all dropped, one added',
    spec: { containers: [box('a', drops(['CHOWN', 'ALL'], ['NET_BIND_SERVICE']))] },
    found: null,
  },
  { name: 'unset', found: ['unrestricted capabilities', `container "a" ${KEEPS}`] },
  {
    name: 'not all dropped',
    spec: {
      initContainers: [box('i', {})],
      containers: [box('a', drops(['all'])), box('b', drops())],
    },
    found: ['unrestricted capabilities', `containers "i", "a", "b" ${KEEPS}`],
  },
  {
    name: 'dropped and added',
    spec: { containers: [box('a', drops(['ALL'], ['CHOWN', 'BPF', 'CHOWN']))] },
    found: [
      'unrestricted capabilities',
      'container "a" must not include "BPF", "CHOWN" in securityContext.capabilities.add',
    ],
  },
  {
    name: 'kept and added',
    spec: {
      containers: [box('a', drops(undefined, ['CHOWN'])), box('b', drops(['ALL'], ['KILL']))],
    },
    found: [
      'unrestricted capabilities',
      `container "a" ${KEEPS}; containers "a", "b" must not include "CHOWN", "KILL" in securityContext.capabilities.add`,
    ],
  },
  {
    name: 'on Windows, before that made a difference',
    spec: WINDOWS,
    in: [22, 24],
    found: ['unrestricted capabilities', `container "a" ${KEEPS}`],
  },
  { name: 'on Windows', spec: WINDOWS, in: [25], found: null },
])

const volume = (type: string, given: object = {}) => ({ name: `of-${type}`, [type]: given })
const OTHERS = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'glusterfs',
  'hostPath',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
]

checkTable(restrictedVolumes, [
  { name: 'none', found: null },
  {
    name: 'every allowed type',
    spec: {
      volumes: [
        'configMap',
        'csi',
        'downwardAPI',
        'emptyDir',
        'ephemeral',
        'persistentVolumeClaim',
        'projected',
        'secret',
      ].map((type) => volume(type)),
    },
    found: null,
  },
  ...OTHERS.map((type) => ({
    name: type,
    spec: { volumes: [volume(type), volume('emptyDir')] },
    found: [
      'restricted volume types',
      `volume "of-${type}" uses restricted volume type "${type}"`,
    ] as const,
  })),
  {
    name: 'two of a type',
    spec: { volumes: [volume('nfs'), { ...volume('nfs'), name: 'other' }] },
    found: [
      'restricted volume types',
      'volumes "of-nfs", "other" use restricted volume type "nfs"',
    ],
  },
  {
    name: 'two types, and one of none',
    spec: { volumes: [volume('nfs'), volume('hostPath'), { name: 'none' }] },
    found: [
      'restricted volume types',
      'volumes "of-nfs", "of-hostPath", "none" use restricted volume types "hostPath", "nfs", "unknown"',
    ],
  },
])

const nonRoot = (runAsNonRoot: boolean) => ({ runAsNonRoot })

checkTable(runAsNonRoot, [
  { name: 'the pod', spec: { securityContext: nonRoot(true) }, found: null },
  {
    name: 'every container',
    spec: {
      initContainers: [box('i', nonRoot(true))],
      containers: [box('a', nonRoot(true))],
      ephemeralContainers: [box('e', nonRoot(true))],
    },
    found: null,
  },
  {
    name: 'neither',
    spec: { ...WINDOWS, containers: [box('a'), box('b', {})] },
    found: [
      'runAsNonRoot != true',
      'pod or containers "a", "b" must set securityContext.runAsNonRoot=true',
    ],
  },
  {
    name: 'some containers',
    spec: { containers: [box('a'), box('b', nonRoot(true))] },
    found: [
      'runAsNonRoot != true',
      'pod or container "a" must set securityContext.runAsNonRoot=true',
    ],
  },
  {
    name: 'a container contradicts the pod',
    spec: { securityContext: nonRoot(true), containers: [box('a', nonRoot(false)), box('b')] },
    found: [
      'runAsNonRoot != true',
      'container "a" must not set securityContext.runAsNonRoot=false',
    ],
  },
  {
    name: 'pod and container',
    spec: { securityContext: nonRoot(false), containers: [box('a', nonRoot(false)), box('b')] },
    found: [
      'runAsNonRoot != true',
      'pod and container "a" must not set securityContext.runAsNonRoot=false',
    ],
  },
  {
    name: 'the pod, although every container',
    spec: { securityContext: nonRoot(false), containers: [box('a', nonRoot(true))] },
    found: ['runAsNonRoot != true', 'pod must not set securityContext.runAsNonRoot=false'],
  },
])

const user = (runAsUser: number) => ({ runAsUser })

checkTable(runAsUser, [
  { name: 'unset', found: null },
  {
    name: 'others',
    spec: { securityContext: user(1), containers: [box('a', user(1000))] },
    found: null,
  },
  {
    name: 'the pod',
    spec: { securityContext: user(0), containers: [box('a', user(1))] },
    found: ['runAsUser=0', 'pod must not set runAsUser=0'],
  },
  {
    name: 'pod and containers',
    spec: { securityContext: user(0), containers: [box('a', user(0)), box('b', user(0))] },
    found: ['runAsUser=0', 'pod and containers "a", "b" must not set runAsUser=0'],
  },
])

const profile = (type: string) => ({ seccompProfile: { type } })
const MUST = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'

checkTable(seccompProfileRestricted, [
  { name: 'the pod', spec: { securityContext: profile('RuntimeDefault') }, found: null },
  {
    name: 'every container',
    spec: { containers: [box('a', profile('Localhost')), box('b', profile('RuntimeDefault'))] },
    found: null,
  },
  { name: 'neither', found: ['seccompProfile', `pod or container "a" ${MUST}`] },
  {
    name: 'some containers',
    spec: { containers: [box('a'), box('b', profile('Localhost')), box('c', {})] },
    found: ['seccompProfile', `pod or containers "a", "c" ${MUST}`],
  },
  {
    name: 'a container contradicts the pod',
    spec: {
      securityContext: profile('RuntimeDefault'),
      containers: [box('a', profile('Unconfined')), box('b')],
    },
    found: [
      'seccompProfile',
      'container "a" must not set securityContext.seccompProfile.type to "Unconfined"',
    ],
  },
  {
    name: 'pod and container',
    spec: {
      securityContext: profile('Unconfined'),
      containers: [box('a', profile('Other')), box('b')],
    },
    found: [
      'seccompProfile',
      'pod and container "a" must not set securityContext.seccompProfile.type to "Other", "Unconfined"',
    ],
  },
  {
    name: 'on Windows, before that made a difference',
    spec: WINDOWS,
    in: [19, 24],
    found: ['seccompProfile', `pod or container "a" ${MUST}`],
  },
  { name: 'on Windows', spec: WINDOWS, in: [25], found: null },
])

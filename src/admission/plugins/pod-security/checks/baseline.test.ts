import { box, checkTable } from '../checks.fixture.ts'
import { appArmorProfile } from './app-armor-profile.ts'
import { capabilitiesBaseline } from './capabilities-baseline.ts'
import { hostNamespaces } from './host-namespaces.ts'
import { hostPathVolumes } from './host-path-volumes.ts'
import { hostPorts } from './host-ports.ts'
import { privileged } from './privileged.ts'
import { procMount } from './proc-mount.ts'
import { seccompProfileBaseline } from './seccomp-profile-baseline.ts'
import { seLinuxOptions } from './se-linux-options.ts'
import { sysctls } from './sysctls.ts'
import { windowsHostProcess } from './windows-host-process.ts'

const ARMOR = 'container.apparmor.security.beta.kubernetes.io'

checkTable(appArmorProfile, [
  { name: 'no annotation', found: null },
  {
    name: 'profiles of the runtime and of the node',
    annotations: {
      [`${ARMOR}/a`]: 'runtime/default',
      [`${ARMOR}/b`]: 'localhost/mine',
      [`${ARMOR}/c`]: '',
      'example.com/a': 'unconfined',
    },
    found: null,
  },
  {
    name: 'one without confinement',
    annotations: { [`${ARMOR}/a`]: 'unconfined' },
    found: ['forbidden AppArmor profile', `${ARMOR}/a="unconfined"`],
  },
  {
    name: 'several, sorted',
    annotations: { [`${ARMOR}/b`]: 'bad', [`${ARMOR}/a`]: 'unconfined' },
    found: ['forbidden AppArmor profiles', `${ARMOR}/a="unconfined", ${ARMOR}/b="bad"`],
  },
])

const adds = (...add: string[]) => ({ capabilities: { add } })
const DEFAULTS = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]

checkTable(capabilitiesBaseline, [
  { name: 'none', spec: { containers: [box('a', {}), box('b')] }, found: null },
  { name: 'all default ones', spec: { containers: [box('a', adds(...DEFAULTS))] }, found: null },
  {
    name: 'one',
    spec: { containers: [box('a', adds('CHOWN', 'NET_RAW'))] },
    found: [
      'non-default capabilities',
      'container "a" must not include "NET_RAW" in securityContext.capabilities.add',
    ],
  },
  {
    name: 'several in all kinds of containers',
    spec: {
      initContainers: [box('i', adds('SYS_ADMIN'))],
      containers: [box('a', adds('NET_RAW', 'SYS_ADMIN')), box('b')],
      ephemeralContainers: [box('e', adds('BPF'))],
    },
    found: [
      'non-default capabilities',
      'containers "i", "a", "e" must not include "BPF", "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add',
    ],
  },
])

checkTable(hostNamespaces, [
  { name: 'none', found: null },
  { name: 'false', spec: { hostNetwork: false, hostPID: false, hostIPC: false }, found: null },
  { name: 'one', spec: { hostPID: true }, found: ['host namespaces', 'hostPID=true'] },
  {
    name: 'all',
    spec: { hostIPC: true, hostPID: true, hostNetwork: true },
    found: ['host namespaces', 'hostNetwork=true, hostPID=true, hostIPC=true'],
  },
])

const path = (name: string) => ({ name, hostPath: { path: '/' } })

checkTable(hostPathVolumes, [
  { name: 'none', found: null },
  { name: 'others', spec: { volumes: [{ name: 'v', emptyDir: {} }] }, found: null },
  { name: 'one', spec: { volumes: [path('v')] }, found: ['hostPath volumes', 'volume "v"'] },
  {
    name: 'two',
    spec: { volumes: [path('w'), { name: 'x', nfs: {} }, path('v')] },
    found: ['hostPath volumes', 'volumes "w", "v"'],
  },
])

const ports = (name: string, ...numbers: number[]) =>
  box(name, undefined, { ports: numbers.map((hostPort) => ({ containerPort: 1, hostPort })) })

checkTable(hostPorts, [
  { name: 'none', found: null },
  { name: 'zero', spec: { containers: [ports('a', 0)] }, found: null },
  {
    name: 'one',
    spec: { containers: [ports('a', 80), ports('b')] },
    found: ['hostPort', 'container "a" uses hostPort 80'],
  },
  {
    name: 'several, sorted as texts',
    spec: {
      initContainers: [ports('i', 9)],
      containers: [ports('a', 80, 443)],
      ephemeralContainers: [ports('e', 80)],
    },
    found: ['hostPort', 'containers "i", "a", "e" use hostPorts 443, 80, 9'],
  },
])

checkTable(privileged, [
  { name: 'unset', spec: { containers: [box('a', {}), box('b')] }, found: null },
  { name: 'false', spec: { containers: [box('a', { privileged: false })] }, found: null },
  {
    name: 'one',
    spec: { containers: [box('a', { privileged: true })] },
    found: ['privileged', 'container "a" must not set securityContext.privileged=true'],
  },
  {
    name: 'several',
    spec: {
      initContainers: [box('i', { privileged: true })],
      ephemeralContainers: [box('e', { privileged: true })],
    },
    found: ['privileged', 'containers "i", "e" must not set securityContext.privileged=true'],
  },
])

checkTable(procMount, [
  { name: 'unset', found: null },
  { name: 'the default', spec: { containers: [box('a', { procMount: 'Default' })] }, found: null },
  {
    name: 'unmasked',
    spec: { containers: [box('a', { procMount: 'Unmasked' })] },
    found: ['procMount', 'container "a" must not set securityContext.procMount to "Unmasked"'],
  },
  {
    name: 'several',
    spec: {
      initContainers: [box('i', { procMount: 'Unmasked' })],
      containers: [box('a', { procMount: 'Other' })],
    },
    found: [
      'procMount',
      'containers "i", "a" must not set securityContext.procMount to "Other", "Unmasked"',
    ],
  },
])

const linux = (options: object) => ({ seLinuxOptions: options })

checkTable(seLinuxOptions, [
  { name: 'unset', found: null },
  {
    name: 'types of containers, and a level',
    spec: {
      securityContext: linux({ type: 'container_t', level: 's0' }),
      initContainers: [box('i', linux({ type: 'container_init_t' }))],
      containers: [box('a', linux({ type: 'container_kvm_t' })), box('b', linux({}))],
    },
    found: null,
  },
  {
    name: 'a type of the pod',
    spec: { securityContext: linux({ type: 'spc_t' }) },
    found: ['seLinuxOptions', 'pod set forbidden securityContext.seLinuxOptions: type "spc_t"'],
  },
  {
    name: 'types, user and role',
    spec: {
      securityContext: linux({ type: 'x' }),
      containers: [box('a', linux({ type: 'w', user: 'u' })), box('b', linux({ role: 'r' }))],
    },
    found: [
      'seLinuxOptions',
      'pod and containers "a", "b" set forbidden securityContext.seLinuxOptions: types "w", "x"; user may not be set; role may not be set',
    ],
  },
  {
    name: 'a user alone is not listed',
    spec: { containers: [box('a', linux({ user: 'u' }))] },
    found: ['seLinuxOptions', 'container "a" set forbidden securityContext.seLinuxOptions: '],
  },
])

const SECCOMP = 'seccomp.security.alpha.kubernetes.io'
const profile = (type: string) => ({ seccompProfile: { type } })

checkTable(seccompProfileBaseline, [
  { name: 'unset', found: null },
  {
    name: 'allowed annotations',
    annotations: {
      [`${SECCOMP}/pod`]: 'runtime/default',
      [`container.${SECCOMP}/a`]: 'docker/default',
      [`container.${SECCOMP}/b`]: 'localhost/x',
    },
    spec: { containers: [box('a'), box('b')] },
    found: null,
  },
  {
    name: 'the annotation of the pod',
    annotations: { [`${SECCOMP}/pod`]: 'unconfined' },
    in: [0, 18],
    found: ['seccompProfile', `forbidden annotation ${SECCOMP}/pod="unconfined"`],
  },
  {
    name: 'annotations of the pod and its containers, not of others',
    annotations: {
      [`${SECCOMP}/pod`]: 'unconfined',
      [`container.${SECCOMP}/a`]: '',
      [`container.${SECCOMP}/i`]: 'unconfined',
      [`container.${SECCOMP}/other`]: 'unconfined',
    },
    spec: { initContainers: [box('i')] },
    in: [0, 18],
    found: [
      'seccompProfile',
      `forbidden annotations container.${SECCOMP}/a="", container.${SECCOMP}/i="unconfined", ${SECCOMP}/pod="unconfined"`,
    ],
  },
  {
    name: 'annotations are not read any more',
    annotations: { [`${SECCOMP}/pod`]: 'unconfined' },
    in: [19, 25],
    found: null,
  },
  {
    name: 'fields are not read yet',
    spec: { securityContext: profile('Unconfined') },
    in: [0, 18],
    found: null,
  },
  {
    name: 'allowed fields',
    spec: {
      securityContext: profile('RuntimeDefault'),
      containers: [box('a', profile('Localhost')), box('b')],
    },
    found: null,
  },
  {
    name: 'fields of the pod and containers',
    spec: {
      securityContext: profile('Unconfined'),
      containers: [box('a', profile('Unconfined')), box('b')],
    },
    in: [19, 25],
    found: [
      'seccompProfile',
      'pod and container "a" must not set securityContext.seccompProfile.type to "Unconfined"',
    ],
  },
  {
    name: 'a field of the pod alone',
    spec: { securityContext: profile('Unconfined') },
    in: [19, 25],
    found: [
      'seccompProfile',
      'pod must not set securityContext.seccompProfile.type to "Unconfined"',
    ],
  },
])

const sets = (...names: string[]) => ({
  securityContext: { sysctls: names.map((name) => ({ name, value: '1' })) },
})

checkTable(sysctls, [
  { name: 'none', found: null },
  {
    name: 'the safe ones',
    spec: sets(
      'kernel.shm_rmid_forced',
      'net.ipv4.ip_local_port_range',
      'net.ipv4.tcp_syncookies',
      'net.ipv4.ping_group_range',
      'net.ipv4.ip_unprivileged_port_start',
    ),
    found: null,
  },
  {
    name: 'others, in their order',
    spec: sets('kernel.msgmax', 'net.ipv4.tcp_syncookies', 'kernel.a'),
    found: ['forbidden sysctls', 'kernel.msgmax, kernel.a'],
  },
])

const host = (hostProcess: boolean) => ({ windowsOptions: { hostProcess } })

checkTable(windowsHostProcess, [
  { name: 'unset', spec: { containers: [box('a', { windowsOptions: {} })] }, found: null },
  {
    name: 'false',
    spec: { securityContext: host(false), containers: [box('a', host(false))] },
    found: null,
  },
  {
    name: 'the pod and containers',
    spec: { securityContext: host(true), containers: [box('a', host(true)), box('b', host(true))] },
    found: [
      'hostProcess',
      'pod and containers "a", "b" must not set securityContext.windowsOptions.hostProcess=true',
    ],
  },
  {
    name: 'a container alone',
    spec: { containers: [box('a', host(true))] },
    found: [
      'hostProcess',
      'container "a" must not set securityContext.windowsOptions.hostProcess=true',
    ],
  },
])

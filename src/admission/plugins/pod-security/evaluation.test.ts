/** Which checks are in force at each level and version. */
import { describe, expect, test } from 'vitest'
import { kubernetes } from '../../../vocabulary/kubernetes.ts'
import { checkedPod } from './check.ts'
import { box, podFrom } from './checks.fixture.ts'
import { detailsText, NEWEST_VERSION, reasonsText, violationsOf } from './evaluation.ts'
import type { LevelVersion } from './policy.ts'

const label = 'kubernetes.io'

/** Violates everything that can be violated at once. */
const WORST = podFrom(
  {
    hostNetwork: true,
    volumes: [{ name: 'v', hostPath: { path: '/' } }],
    securityContext: {
      runAsUser: 0,
      seLinuxOptions: { type: 'spc_t' },
      seccompProfile: { type: 'Unconfined' },
      sysctls: [{ name: 'kernel.msgmax', value: '1' }],
      windowsOptions: { hostProcess: true },
    },
    containers: [
      box(
        'a',
        { privileged: true, procMount: 'Unmasked', capabilities: { add: ['NET_RAW'] } },
        { ports: [{ containerPort: 80, hostPort: 80 }] },
      ),
    ],
  },
  {
    [`container.apparmor.security.beta.${label}/a`]: 'unconfined',
    [`seccomp.security.alpha.${label}/pod`]: 'unconfined',
  },
)

const UP_TO_HOST_PATH = [
  'forbidden AppArmor profile',
  'non-default capabilities',
  'host namespaces',
]
const REST = ['hostPort', 'privileged', 'procMount', 'seLinuxOptions']
const END = ['forbidden sysctls', 'hostProcess']
const BASELINE = [...UP_TO_HOST_PATH, 'hostPath volumes', ...REST, 'seccompProfile', ...END]
const VOLUMES = ['restricted volume types', 'runAsNonRoot != true']
const ESCALATION = 'allowPrivilegeEscalation != false'
const [ARMOR, , NAMESPACES] = UP_TO_HOST_PATH

const OLDEST = [...UP_TO_HOST_PATH, ...REST, 'seccompProfile', ...END]
const rows: readonly {
  readonly level: LevelVersion['level']
  readonly versions: readonly LevelVersion['version'][]
  readonly reasons: readonly (string | undefined)[]
}[] = [
  { level: 'privileged', versions: [0, 25, 'latest'], reasons: [] },
  { level: 'baseline', versions: [0, 7, 18, 19, 22, 25, 99, 'latest'], reasons: BASELINE },
  { level: 'restricted', versions: [0, 7], reasons: [...OLDEST, ...VOLUMES] },
  { level: 'restricted', versions: [8, 18], reasons: [...OLDEST, ESCALATION, ...VOLUMES] },
  {
    level: 'restricted',
    versions: [19, 21],
    reasons: [...UP_TO_HOST_PATH, ...REST, ...END, ESCALATION, ...VOLUMES, 'seccompProfile'],
  },
  {
    level: 'restricted',
    versions: [22],
    reasons: [
      ARMOR,
      NAMESPACES,
      ...REST,
      ...END,
      ESCALATION,
      'unrestricted capabilities',
      ...VOLUMES,
      'seccompProfile',
    ],
  },
  {
    level: 'restricted',
    versions: [23, 24, 25, 26, 99, 'latest'],
    reasons: [
      ARMOR,
      NAMESPACES,
      ...REST,
      ...END,
      ESCALATION,
      'unrestricted capabilities',
      ...VOLUMES,
      'runAsUser=0',
      'seccompProfile',
    ],
  },
]

describe('the checks in force', () => {
  for (const { level, versions, reasons } of rows) {
    for (const version of versions) {
      test(`${level}, ${version}`, () => {
        const pod = checkedPod(WORST.metadata.annotations, WORST.spec, kubernetes)
        const found = violationsOf(pod, { level, version })
        expect(found.map(({ reason }) => reason)).toEqual(reasons)
      })
    }
  }
  test('the newest version is that of the release', () => expect(NEWEST_VERSION).toBe(25))
})

test('texts of violations', () => {
  const pod = podFrom({ hostIPC: true })
  const found = violationsOf(checkedPod(undefined, pod.spec, kubernetes), {
    level: 'restricted',
    version: 'latest',
  })
  expect(reasonsText(found)).toBe(
    'host namespaces, allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile',
  )
  expect(detailsText(found)).toBe(
    'host namespaces (hostIPC=true), allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  )
})

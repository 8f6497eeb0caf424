import { describe, expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { readConfigurations } from './configuration.ts'
import { admissionPlugins } from './index.ts'
import { PLUGIN_ORDER, REMOVED_PLUGINS } from './plugin-order.ts'
import { selectPlugins } from './selection.ts'

/** The plugins of the release, as its documentation lists them. */
const DEFAULT_ON = [
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'DefaultStorageClass',
  'DefaultTolerationSeconds',
  'LimitRanger',
  'MutatingAdmissionWebhook',
  'NamespaceLifecycle',
  'PersistentVolumeClaimResize',
  'PodSecurity',
  'Priority',
  'ResourceQuota',
  'RuntimeClass',
  'ServiceAccount',
  'StorageObjectInUseProtection',
  'TaintNodesByCondition',
  'ValidatingAdmissionWebhook',
]
const DEFAULT_OFF = [
  'AlwaysAdmit',
  'AlwaysDeny',
  'AlwaysPullImages',
  'DenyServiceExternalIPs',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'ImagePolicyWebhook',
  'LimitPodHardAntiAffinityTopology',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'NodeRestriction',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeLabel',
  'PodNodeSelector',
  'PodTolerationRestriction',
  'SecurityContextDeny',
]
const REMOVED = ['PodSecurityPolicy']

const built = admissionPlugins.map(({ name }) => name)
const errorOf = (work: () => unknown): string | null => {
  try {
    work()
    return null
  } catch (error) {
    return (error as Error).message
  }
}

test('every plugin of the release has its place in the order', () => {
  expect(PLUGIN_ORDER.toSorted()).toEqual([...DEFAULT_ON, ...DEFAULT_OFF].toSorted())
  expect(REMOVED_PLUGINS).toEqual(REMOVED)
})

describe('a plugin of the release', () => {
  for (const [names, isOn] of [
    [DEFAULT_ON, true],
    [DEFAULT_OFF, false],
  ] as const) {
    for (const name of names) {
      test(`${name} can be enabled and disabled, or is refused`, () => {
        const factory = admissionPlugins.find((one) => one.name === name)
        if (factory) expect(factory.defaultOn).toBe(isOn)
        expect(errorOf(() => selectPlugins({ enable: [name] }))).toBe(
          factory
            ? null
            : `--enable-admission-plugins plugin "${name}" is not built yet; there are ${built.join(', ')}`,
        )
        const { on } = selectPlugins({ disable: [name] })
        expect(on.map((one) => one.name)).toEqual(
          built.filter((one) => DEFAULT_ON.includes(one) && one !== name),
        )
      })
    }
  }

  test('that was removed is refused, enabled, disabled or configured', async () => {
    const [name] = REMOVED
    expect(errorOf(() => selectPlugins({ enable: [name!] }))).toBe(
      '--enable-admission-plugins plugin "PodSecurityPolicy" was removed in this release; use PodSecurity',
    )
    expect(errorOf(() => selectPlugins({ disable: [name!] }))).toBe(
      '--disable-admission-plugins plugin "PodSecurityPolicy" was removed in this release; use PodSecurity',
    )
    const file = {
      kind: 'AdmissionConfiguration',
      apiVersion: 'apiserver.config.orch.io/v1',
      plugins: [{ name, configuration: {} }],
    }
    const files = { read: () => Promise.reject(new Error()), resolve: (path: string) => path }
    await expect(
      readConfigurations(file, admissionPlugins, files, vocabularies.orch),
    ).rejects.toThrow(
      new Error(
        'plugins[0].name: plugin "PodSecurityPolicy" was removed in this release; use PodSecurity',
      ),
    )
  })
})

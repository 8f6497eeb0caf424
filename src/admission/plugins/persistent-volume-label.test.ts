import { afterAll, beforeAll, expect, test } from 'vitest'
import { forbidden, serverWith, type PluginServer } from '../../../test/plugin-server.fixture.ts'

const VOLUMES = '/api/v1/persistentvolumes'
const ZONE = 'topology.kubernetes.io/zone'
const REGION = 'topology.kubernetes.io/region'
const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone'
const BETA_REGION = 'failure-domain.beta.kubernetes.io/region'
const PROVISIONED = { annotations: { 'pv.kubernetes.io/provisioned-by': 'x.example.com' } }

let started: PluginServer
beforeAll(async () => {
  started = await serverWith(['PersistentVolumeLabel'])
})
afterAll(() => started.close())

const NFS = { nfs: { server: 's', path: '/' } }
const ebs = (volumeID: string) => ({ awsElasticBlockStore: { volumeID } })
const isIn = (key: string, ...values: string[]) => ({ key, operator: 'In', values })
const affinity = (...terms: object[]) => ({ required: { nodeSelectorTerms: terms } })
const SSD = isIn('disk', 'ssd')

for (const { name, metadata, spec, found } of [
  { name: 'no-cloud', metadata: {}, spec: NFS, found: undefined },
  {
    name: 'labels-of-somebody',
    metadata: { labels: { [ZONE]: 'a', [REGION]: 'r' } },
    spec: NFS,
    found: undefined,
  },
  {
    name: 'half-of-the-labels',
    metadata: { ...PROVISIONED, labels: { [ZONE]: 'a', [BETA_REGION]: 'r' } },
    spec: NFS,
    found: undefined,
  },
  {
    name: 'trusted',
    metadata: { ...PROVISIONED, labels: { [ZONE]: 'b__a', [REGION]: 'r' } },
    spec: ebs('vol-1'),
    found: affinity({ matchExpressions: [isIn(REGION, 'r'), isIn(ZONE, 'a', 'b')] }),
  },
  {
    name: 'trusted-beta',
    metadata: { ...PROVISIONED, labels: { [BETA_ZONE]: 'a', [BETA_REGION]: 'r' } },
    spec: NFS,
    found: affinity({ matchExpressions: [isIn(BETA_REGION, 'r'), isIn(BETA_ZONE, 'a')] }),
  },
  {
    name: 'every-term',
    metadata: { ...PROVISIONED, labels: { [ZONE]: 'a', [REGION]: 'r' } },
    spec: {
      ...NFS,
      nodeAffinity: affinity({ matchExpressions: [SSD] }, { matchExpressions: [SSD] }),
    },
    found: affinity(
      { matchExpressions: [SSD, isIn(REGION, 'r'), isIn(ZONE, 'a')] },
      { matchExpressions: [SSD, isIn(REGION, 'r'), isIn(ZONE, 'a')] },
    ),
  },
  {
    name: 'a-key-that-is-there',
    metadata: { ...PROVISIONED, labels: { [ZONE]: 'a', [REGION]: 'r' } },
    spec: { ...NFS, nodeAffinity: affinity({ matchExpressions: [isIn(ZONE, 'c')] }) },
    found: affinity({ matchExpressions: [isIn(ZONE, 'c')] }),
  },
  {
    name: 'yet-to-be-made',
    metadata: {},
    spec: ebs('placeholder-for-provisioning'),
    found: undefined,
  },
  {
    name: 'ebs',
    metadata: {},
    spec: ebs('vol-1'),
    found: 'error querying AWS EBS volume vol-1: unable to build AWS cloud provider for EBS',
  },
  {
    name: 'gce',
    metadata: PROVISIONED,
    spec: { gcePersistentDisk: { pdName: 'd' } },
    found: 'error querying GCE PD volume d: unable to build GCE cloud provider for PD',
  },
  {
    name: 'azure',
    metadata: {},
    spec: { azureDisk: { diskName: 'd', diskURI: 'https://x/d.vhd' } },
    found: 'error querying AzureDisk volume d: unable to build Azure cloud provider for AzureDisk',
  },
  {
    name: 'cinder',
    metadata: {},
    spec: { cinder: { volumeID: 'v' } },
    found:
      'error querying Cinder volume v: unable to build OpenStack cloud provider for Cinder disk',
  },
  {
    name: 'vsphere',
    metadata: {},
    spec: { vsphereVolume: { volumePath: 'p' } },
    found:
      'error querying vSphere Volume p: unable to build vSphere cloud provider for vSphere volume',
  },
]) {
  test(name, async () => {
    const { status, body } = await started.admin.post(VOLUMES, {
      metadata: { name, ...metadata },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
    })
    if (typeof found === 'string') expect(body).toEqual(forbidden('persistentvolumes', name, found))
    else expect([status, body.spec.nodeAffinity]).toEqual([201, found])
  })
}

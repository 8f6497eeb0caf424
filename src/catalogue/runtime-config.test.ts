import { describe, expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { maturityOf, runtimeConfig, type RuntimeConfig } from './runtime-config.ts'

const known = [
  { group: '', version: 'v1' },
  { group: 'apps', version: 'v1' },
  { group: 'autoscaling', version: 'v2' },
  { group: 'autoscaling', version: 'v2beta2' },
  { group: 'networking.orch.io', version: 'v1' },
  { group: 'networking.orch.io', version: 'v1alpha1' },
]
const all = [
  ['', 'v1', 'namespaces'],
  ['', 'v1', 'pods'],
  ['apps', 'v1', 'deployments'],
  ['apps', 'v1', 'daemonsets'],
  ['autoscaling', 'v2', 'horizontalpodautoscalers'],
  ['autoscaling', 'v2beta2', 'horizontalpodautoscalers'],
  ['networking.orch.io', 'v1', 'ingresses'],
  ['networking.orch.io', 'v1alpha1', 'clustercidrs'],
] as const
const textOf = (place: readonly string[]) => place.filter((part) => part !== '').join('/')
const everything = all.map((place) => textOf(place))
const ga = everything.filter((text) => !/alpha|beta/.test(text))
const core = ['v1/namespaces', 'v1/pods']
const beta = 'autoscaling/v2beta2/horizontalpodautoscalers'
const alpha = 'networking.orch.io/v1alpha1/clustercidrs'

const read = (settings: RuntimeConfig) => runtimeConfig(settings, known, vocabularies.orch)

describe('enabled versions', () => {
  for (const { settings, served } of [
    { settings: {}, served: [...ga, beta] },
    { settings: { 'api/all': true }, served: everything },
    { settings: { 'api/alpha': true }, served: everything },
    { settings: { 'api/beta': false }, served: ga },
    { settings: { 'api/all': true, 'api/beta': false }, served: [...ga, alpha] },
    { settings: { 'api/beta': false, 'api/all': true }, served: [...ga, alpha] },
    { settings: { 'api/all': false, 'api/v1': true }, served: core },
    { settings: { 'api/all': false, v1: true }, served: core },
    { settings: { 'api/all': false, v1: true, 'apps/v1': true }, served: ga.slice(0, 4) },
    { settings: { 'api/all': false, 'api/ga': true }, served: ga },
    { settings: { 'api/ga': false, v1: true }, served: [...core, beta] },
    {
      settings: { 'api/all': false, 'v1/namespaces': true },
      served: ['v1/namespaces'],
    },
    { settings: { 'v1/pods': false }, served: [...ga, beta].filter((t) => t !== 'v1/pods') },
    { settings: { 'api/v1/pods': false }, served: [...ga, beta].filter((t) => t !== 'v1/pods') },
    {
      settings: { 'apps/v1': false },
      served: [...ga, beta].filter((t) => !t.startsWith('apps/')),
    },
    {
      settings: { 'apps/v1': false, 'apps/v1/deployments': true },
      served: [...ga, beta].filter((t) => t !== 'apps/v1/daemonsets'),
    },
    {
      settings: { 'apps/v1/deployments': false, 'apps/v1': true },
      served: [...ga, beta].filter((t) => t !== 'apps/v1/deployments'),
    },
    { settings: { 'networking.orch.io/v1alpha1': true }, served: everything },
    { settings: { 'networking{api}/v1alpha1': true }, served: everything },
    { settings: { 'networking.orch.io/v1alpha1/clustercidrs': true }, served: everything },
    {
      settings: { 'autoscaling/v2': false },
      served: [...ga, beta].filter((t) => !t.startsWith('autoscaling/v2/')),
    },
    // A version of a past or coming release may be named: scripts outlive releases.
    { settings: { 'apps/v2alpha1': true, 'apps/v1beta1': false }, served: [...ga, beta] },
    { settings: { 'apps/v1/nothings': false }, served: [...ga, beta] },
  ] as { settings: RuntimeConfig; served: readonly string[] }[]) {
    test(JSON.stringify(settings), () => {
      const isEnabled = read(settings)
      expect(
        all
          .filter(([group, version, resource]) => isEnabled(group, version, resource))
          .map((place) => textOf(place)),
      ).toEqual(everything.filter((text) => served.includes(text)))
    })
  }
})

describe('refused', () => {
  for (const { settings, message } of [
    { settings: { 'nothing/v1': true }, message: 'unknown api groups nothing' },
    {
      settings: { 'nothing/v1': true, 'apps/v1': true, 'neither/v2/things': false },
      message: 'unknown api groups nothing,neither',
    },
    { settings: { 'networking.k8s.io/v1': true }, message: 'unknown api groups networking.k8s.io' },
    { settings: { 'constructor/v1': true }, message: 'unknown api groups constructor' },
    { settings: { apps: true }, message: 'invalid key "apps"' },
    { settings: { 'apps/': true }, message: 'invalid key "apps/"' },
    { settings: { '': true }, message: 'invalid key ""' },
    { settings: { api: true }, message: 'invalid key "api"' },
    { settings: { 'api/some': true }, message: 'invalid key "api/some"' },
    { settings: { 'apps/v1/a/b': true }, message: 'invalid key "apps/v1/a/b"' },
    { settings: { 'v1/a/b': true }, message: 'invalid key "v1/a/b"' },
    { settings: { 'apps/v1/': true }, message: 'invalid key "apps/v1/"' },
    {
      settings: { 'api/all': false },
      message: 'it turns off namespaces of v1, without which nothing works',
    },
    {
      settings: { v1: false },
      message: 'it turns off namespaces of v1, without which nothing works',
    },
    {
      settings: { 'v1/namespaces': false },
      message: 'it turns off namespaces of v1, without which nothing works',
    },
  ] as { settings: RuntimeConfig; message: string }[]) {
    test(JSON.stringify(settings), () => {
      expect(() => read(settings)).toThrow(new Error(message))
    })
  }
})

test('maturity by the name of the version', () => {
  expect(
    ['v1', 'v2', 'v1beta1', 'v2beta2', 'v1alpha1', 'v12alpha3'].map((v) => maturityOf(v)),
  ).toEqual(['ga', 'ga', 'beta', 'beta', 'alpha', 'alpha'])
})

import { describe, expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { defaultGate, setGates } from './gates.ts'

const v = vocabularies.orch
const samples = {
  // alpha, off
  ReadWriteOncePod: false,
  JobPodFailurePolicy: false,
  'Disable{Agent}CloudCredentialProviders': false,
  // beta, on
  CronJobTimeZone: true,
  AnyVolumeDataSource: true,
  'Rotate{Agent}ServerCertificate': true,
  // beta, off
  MinDomainsInPodTopologySpread: false,
  CSIMigrationPortworx: false,
  // general
  ExpandCSIVolumes: true,
  PodOverhead: true,
  // deprecated
  'Dynamic{Agent}Config': false,
  // none
  NoSuchGate: false,
  constructor: false,
}
const names = Object.keys(samples) as (keyof typeof samples)[]

test('defaults', () => {
  expect(Object.fromEntries(names.map((name) => [name, defaultGate(name)]))).toEqual(samples)
})

describe('set', () => {
  const going = (name: string, on: boolean, stage = 'GA') =>
    `Setting ${stage} feature gate ${name}=${on}. It will be removed in a future release.`
  const alpha = {
    ReadWriteOncePod: true,
    JobPodFailurePolicy: true,
    'Disable{Agent}CloudCredentialProviders': true,
  }
  const noBeta = {
    CronJobTimeZone: false,
    AnyVolumeDataSource: false,
    'Rotate{Agent}ServerCertificate': false,
  }
  for (const { settings, changes, warnings } of [
    { settings: {}, changes: {}, warnings: [] },
    { settings: { ReadWriteOncePod: true }, changes: { ReadWriteOncePod: true }, warnings: [] },
    { settings: { CronJobTimeZone: false }, changes: { CronJobTimeZone: false }, warnings: [] },
    { settings: { CronJobTimeZone: true }, changes: {}, warnings: [] },
    { settings: { AllAlpha: true }, changes: alpha, warnings: [] },
    { settings: { AllAlpha: false }, changes: {}, warnings: [] },
    {
      settings: { AllBeta: true },
      changes: { MinDomainsInPodTopologySpread: true, CSIMigrationPortworx: true },
      warnings: [],
    },
    { settings: { AllBeta: false }, changes: noBeta, warnings: [] },
    {
      settings: { AllBeta: false, CronJobTimeZone: true },
      changes: { ...noBeta, CronJobTimeZone: true },
      warnings: [],
    },
    // A set gives way to what is named, whichever comes first.
    {
      settings: { JobPodFailurePolicy: false, AllAlpha: true },
      changes: { ...alpha, JobPodFailurePolicy: false },
      warnings: [],
    },
    {
      settings: { AllAlpha: true, AllBeta: false },
      changes: { ...alpha, ...noBeta },
      warnings: [],
    },
    {
      settings: { ExpandCSIVolumes: false },
      changes: { ExpandCSIVolumes: false },
      warnings: [going('ExpandCSIVolumes', false)],
    },
    {
      settings: { ExpandCSIVolumes: true, PodOverhead: true },
      changes: {},
      warnings: [going('ExpandCSIVolumes', true), going('PodOverhead', true)],
    },
    {
      settings: { DynamicNodeagentConfig: true },
      changes: { 'Dynamic{Agent}Config': true },
      warnings: [going('DynamicNodeagentConfig', true, 'deprecated')],
    },
  ] as {
    settings: Record<string, boolean>
    changes: Record<string, boolean>
    warnings: string[]
  }[]) {
    test(JSON.stringify(settings), () => {
      const state = setGates(settings, v)
      expect(Object.fromEntries(names.map((name) => [name, state.gate(name)]))).toEqual({
        ...samples,
        ...changes,
      })
      expect(state.warnings).toEqual(warnings)
    })
  }
})

describe('refused', () => {
  for (const { settings, message } of [
    { settings: { NoSuchGate: true }, message: 'unrecognized feature gate: NoSuchGate' },
    { settings: { cronJobTimeZone: true }, message: 'unrecognized feature gate: cronJobTimeZone' },
    { settings: { constructor: true }, message: 'unrecognized feature gate: constructor' },
    {
      settings: { DynamicKubeletConfig: true },
      message: 'unrecognized feature gate: DynamicKubeletConfig',
    },
    {
      settings: { 'Dynamic{Agent}Config': true },
      message: 'unrecognized feature gate: Dynamic{Agent}Config',
    },
    { settings: { AllGA: true }, message: 'unrecognized feature gate: AllGA' },
    {
      settings: { PodOverhead: false },
      message: 'cannot set feature gate PodOverhead to false, feature is locked to true',
    },
    {
      settings: { AllBeta: false, WatchBookmark: false },
      message: 'cannot set feature gate WatchBookmark to false, feature is locked to true',
    },
  ] as unknown as { settings: Record<string, boolean>; message: string }[]) {
    test(JSON.stringify(settings), () => {
      expect(() => setGates(settings, v)).toThrow(new Error(message))
    })
  }
})

test('names are in the words of the vocabulary, for people and for the code alike', () => {
  const state = setGates({ DynamicKubeletConfig: true }, vocabularies.kubernetes)
  expect(state.gate('Dynamic{Agent}Config')).toBe(true)
  expect(() => setGates({ DynamicNodeagentConfig: true }, vocabularies.kubernetes)).toThrow(
    new Error('unrecognized feature gate: DynamicNodeagentConfig'),
  )
})

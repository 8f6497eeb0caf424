import { describe, expect, test } from 'vitest'
import { kubernetes } from '../../../vocabulary/kubernetes.ts'
import { orch } from '../../../vocabulary/orch.ts'
import { decodeConfiguration } from './configuration.ts'
import { MODES, levelText } from './policy.ts'

const GROUP = 'pod-security.admission.config.k8s.io'
const document = (more: object = {}, version = 'v1') => ({
  apiVersion: `${GROUP}/${version}`,
  kind: 'PodSecurityConfiguration',
  ...more,
})
const shown = (given: unknown) => {
  const { defaults, exemptions } = decodeConfiguration(given, kubernetes)
  return {
    defaults: MODES.map((mode) => levelText(defaults[mode])),
    exemptions: Object.fromEntries(
      Object.entries(exemptions).map(([list, names]) => [list, [...names]]),
    ),
  }
}
const NONE = { usernames: [], namespaces: [], runtimeClasses: [] }
const PRIVILEGED = ['privileged:latest', 'privileged:latest', 'privileged:latest']

describe('configurations', () => {
  for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
    test(`an empty one in ${version}`, () =>
      expect(shown(document({}, version))).toEqual({ defaults: PRIVILEGED, exemptions: NONE }))
  }
  test('empty texts and lists are unset', () =>
    expect(
      shown(
        document({
          defaults: { enforce: '', 'enforce-version': '', audit: null },
          exemptions: { usernames: null, namespaces: [] },
        }),
      ),
    ).toEqual({ defaults: PRIVILEGED, exemptions: NONE }))
  test('a whole one', () =>
    expect(
      shown(
        document({
          defaults: {
            enforce: 'baseline',
            'enforce-version': 'v1.24',
            audit: 'restricted',
            'audit-version': 'latest',
            warn: 'restricted',
            'warn-version': 'v1.25',
          },
          exemptions: {
            usernames: ['system:admin', 'jane'],
            namespaces: ['kube-system'],
            runtimeClasses: ['a.b'],
          },
        }),
      ),
    ).toEqual({
      defaults: ['baseline:v1.24', 'restricted:latest', 'restricted:v1.25'],
      exemptions: {
        usernames: ['system:admin', 'jane'],
        namespaces: ['kube-system'],
        runtimeClasses: ['a.b'],
      },
    }))
  test('the group of the vocabulary orch', () => {
    const given = { ...document(), apiVersion: 'pod-security.admission.config.orch.io/v1' }
    expect(decodeConfiguration(given, orch).defaults.enforce.level).toBe('privileged')
  })
})

const LEVEL = 'must be one of privileged, baseline, restricted'
const VERSION = 'must be "latest" or "v1.x"'

describe('faults', () => {
  for (const { name, given, error } of [
    { name: 'no document', given: [], error: 'expected a PodSecurityConfiguration' },
    {
      name: 'no kind',
      given: { apiVersion: `${GROUP}/v1` },
      error: `no kind "" is registered for version "${GROUP}/v1"`,
    },
    {
      name: 'another version',
      given: document({}, 'v2'),
      error: `no kind "PodSecurityConfiguration" is registered for version "${GROUP}/v2"`,
    },
    {
      name: 'unknown fields',
      given: document({ x: 1, defaults: { Enforce: 'baseline' }, exemptions: { users: [] } }),
      error:
        'strict decoding error: unknown field "x", unknown field "defaults.Enforce", unknown field "exemptions.users"',
    },
    {
      name: 'a part of a wrong type',
      given: document({ defaults: [] }),
      error: 'defaults: must be an object',
    },
    {
      name: 'a level of a wrong type',
      given: document({ defaults: { warn: 1 } }),
      error: 'defaults.warn: must be a string',
    },
    {
      name: 'a list of a wrong type',
      given: document({ exemptions: { usernames: 'jane' } }),
      error: 'exemptions.usernames: must be a list',
    },
    {
      name: 'a name of a wrong type',
      given: document({ exemptions: { namespaces: ['a', 1] } }),
      error: 'exemptions.namespaces[1]: must be a string',
    },
    {
      name: 'one level',
      given: document({ defaults: { enforce: 'strict' } }),
      error: `defaults.enforce: Invalid value: "strict": ${LEVEL}`,
    },
    {
      name: 'everything',
      given: document({
        defaults: {
          enforce: 'a',
          'enforce-version': 'b',
          audit: 'c',
          'audit-version': 'd',
          warn: 'e',
          'warn-version': 'f',
        },
        exemptions: {
          namespaces: ['x', 'x', 'A'],
          runtimeClasses: ['a.b', 'a.b'],
          usernames: ['', 'u', 'u'],
        },
      }),
      error: `[defaults.enforce: Invalid value: "a": ${LEVEL}, defaults.enforce-version: Invalid value: "b": ${VERSION}, defaults.audit: Invalid value: "c": ${LEVEL}, defaults.audit-version: Invalid value: "d": ${VERSION}, defaults.warn: Invalid value: "e": ${LEVEL}, defaults.warn-version: Invalid value: "f": ${VERSION}, exemptions.namespaces[1]: Duplicate value: "x", exemptions.namespaces[2]: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'), exemptions.runtimeClasses[1]: Duplicate value: "a.b", exemptions.usernames[0]: Invalid value: "": username must not be empty, exemptions.usernames[2]: Duplicate value: "u"]`,
    },
  ]) {
    test(name, () => expect(() => shown(given)).toThrow(new Error(error)))
  }
})

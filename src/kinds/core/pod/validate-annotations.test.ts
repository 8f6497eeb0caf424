import { describe, expect, test } from 'vitest'
import { codecOf, Decoding } from '../../../codec/codec.ts'
import { FieldErrors } from '../../../meta/field-errors.ts'
import { fillPodTemplate } from './defaults.ts'
import { QUALIFIED, LABEL_VALUE } from './messages.fixture.ts'
import { c, podOf, problems, web } from './pod.fixture.ts'
import { PodTemplateSpec } from './pod-template.ts'
import { validatePodTemplate } from './validate-pod-template.ts'

describe('annotations', () => {
  const K = 'metadata.annotations'
  const seccomp = 'seccomp.security.alpha.orch.io/pod'
  const inContainer = 'container.seccomp.security.alpha.orch.io/web'
  const armor = 'container.apparmor.security.beta.orch.io'
  const cost = 'controller.orch.io/pod-deletion-cost'
  const tolerations = 'scheduler.alpha.orch.io/tolerations'
  const notNumber = (text: string) =>
    `Invalid ${K}[${cost}]: Invalid value: "${text}": must be a 32bit integer`
  const rows: [name: string, annotations: object, spec: object, expected: string[]][] = [
    ['others are free', { a: 'b' }, {}, []],
    [
      'a mirror without a node',
      { 'orch.io/config.mirror': 'x' },
      {},
      [
        `Invalid ${K}[orch.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`,
      ],
    ],
    ['a mirror on a node', { 'orch.io/config.mirror': 'x' }, { nodeName: 'n' }, []],
    ['the least cost', { [cost]: '-2147483648' }, {}, []],
    ['a cost with a sign', { [cost]: '+1' }, {}, [notNumber('+1')]],
    ['a cost with zeros', { [cost]: '01' }, {}, [notNumber('01')]],
    ['a cost beyond', { [cost]: '2147483648' }, {}, [notNumber('2147483648')]],
    [
      'a filter without meaning',
      { [seccomp]: 'x' },
      {},
      [`Invalid ${K}[${seccomp}]: Invalid value: "x": must be a valid seccomp profile`],
    ],
    [
      'a filter file that is absolute',
      { [inContainer]: 'localhost//a' },
      {},
      [`Invalid ${K}[${inContainer}]: Invalid value: "/a": must be a relative path`],
    ],
    [
      'filters that differ',
      { [seccomp]: 'unconfined', [inContainer]: 'localhost/a' },
      {
        securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          web({
            securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'b' } },
          }),
        ],
      },
      [
        'Forbidden spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
        'Forbidden spec.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match',
      ],
    ],
    ['AppArmor', { [`${armor}/web`]: 'localhost/a' }, {}, []],
    [
      'AppArmor of nothing',
      { [`${armor}/x`]: 'y' },
      {},
      [
        `Invalid ${K}[${armor}/x]: Invalid value: "x": container not found`,
        `Invalid ${K}[${armor}/x]: Invalid value: "y": invalid AppArmor profile name: "y"`,
      ],
    ],
    ['tolerations', { [tolerations]: '[{"key":"a","operator":"Exists"}]' }, {}, []],
    [
      'tolerations that are no list',
      { [tolerations]: '{}' },
      {},
      [`Invalid ${K}[${tolerations}]: Invalid value: "{}": must be a list of tolerations as JSON`],
    ],
    [
      'tolerations that are no JSON',
      { [tolerations]: 'x' },
      {},
      [`Invalid ${K}[${tolerations}]: Invalid value: "x": must be a list of tolerations as JSON`],
    ],
    [
      'bad tolerations',
      { [tolerations]: '[{}]' },
      {},
      [
        `Invalid ${K}[${tolerations}][0].operator: Invalid value: "": operator must be Exists when \`key\` is empty, which means "match all values and all keys"`,
      ],
    ],
  ]
  for (const [name, annotations, spec, expected] of rows) {
    test(name, () => expect(problems(podOf(spec, { annotations }))).toEqual(expected))
  }
})

describe('templates', () => {
  const check = (given: object): string[] => {
    const template = codecOf(PodTemplateSpec.shape).decode(
      given,
      new Decoding(),
    ) as unknown as PodTemplateSpec
    fillPodTemplate(template, c)
    const errors = new FieldErrors()
    validatePodTemplate(template, errors.at('spec', 'template'), c)
    return errors.list.map(({ field, message }) => `${field}: ${message}`)
  }
  test('white space around images is nobody’s business here', () => {
    expect(check({ spec: { containers: [web({ image: ' a ' })] } })).toEqual([])
  })
  test('labels, ephemeral containers and filters are checked', () => {
    expect(
      check({
        metadata: {
          labels: { a: 'b c' },
          annotations: { 'a b': '', 'seccomp.security.alpha.orch.io/pod': 'unconfined' },
        },
        spec: {
          containers: [web()],
          ephemeralContainers: [web({ name: 'e' })],
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
        },
      }),
    ).toEqual([
      `spec.template.metadata.labels: Invalid value: "b c": ${LABEL_VALUE}`,
      `spec.template.metadata.annotations: Invalid value: "a b": ${QUALIFIED}`,
      'spec.template.spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
      'spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
    ])
  })
})

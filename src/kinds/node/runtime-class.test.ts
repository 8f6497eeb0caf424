import { describe, expect, test } from 'vitest'
import { orch } from '../../vocabulary/orch.ts'
import { c, cells, problems, read } from '../hooks.fixture.ts'
import { runtimeClasses } from './runtime-class.ts'

const of = (more: object = {}) => read(runtimeClasses, { handler: 'runc', ...more })

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const TOLERATIONS = 'scheduling.tolerations'

describe('violations', () => {
  const tolerates = (...tolerations: object[]) => ({ scheduling: { tolerations } })
  const table: readonly [name: string, given: object, expected: readonly string[]][] = [
    ['none', {}, []],
    [
      'none where all is used',
      {
        overhead: { podFixed: { cpu: '100m', memory: '0', 'example.com/gpu': '2' } },
        scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }] },
      },
      [],
    ],
    ['no handler', { handler: '' }, [`Invalid handler: Invalid value: "": ${LABEL}`]],
    ['a handler', { handler: 'a.b' }, [`Invalid handler: Invalid value: "a.b": ${LABEL}`]],
    [
      'overhead',
      { overhead: { podFixed: { cpu: '-1', water: '1', 'example.com/gpu': '500m' } } },
      [
        'Invalid overhead.podFixed[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'Invalid overhead.podFixed[example.com/gpu]: Invalid value: "500m": must be an integer',
        'Invalid overhead.podFixed[water]: Invalid value: "water": must be a standard resource type or fully qualified',
      ],
    ],
    [
      'labels of nodes',
      { scheduling: { nodeSelector: { a: '-' } } },
      [
        `Invalid scheduling.nodeSelector: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      ],
    ],
    [
      'tolerations',
      tolerates({ operator: 'Equal', key: 'k', tolerationSeconds: 3 }, { value: 'v' }),
      [
        `Invalid ${TOLERATIONS}.tolerations[0].effect: Invalid value: "": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
        `Invalid ${TOLERATIONS}.tolerations[1].operator: Invalid value: "": operator must be Exists when \`key\` is empty, which means "match all values and all keys"`,
      ],
    ],
    [
      'the same twice',
      tolerates(
        { key: 'k', operator: 'Exists' },
        { key: 'k', operator: 'Exists', effect: 'NoSchedule' },
        { key: 'k', operator: 'Exists' },
      ),
      [`Duplicate ${TOLERATIONS}[2]: Duplicate value: {"key":"k","operator":"Exists"}`],
    ],
    [
      'the same but for the seconds',
      tolerates(
        { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 },
        { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 4 },
      ),
      [],
    ],
  ]
  for (const [name, given, expected] of table) {
    test(name, () => {
      expect(problems(runtimeClasses, of(given)).toSorted()).toEqual(expected)
    })
  }
})

test('the handler cannot change; the rest can', () => {
  expect(problems(runtimeClasses, of({ handler: 'other' }), { old: of() })).toEqual([
    'Invalid handler: Invalid value: "other": field is immutable',
  ])
  const next = of({ overhead: { podFixed: { cpu: '1' } }, scheduling: {} })
  expect(problems(runtimeClasses, next, { old: of() })).toEqual([])
})

test('how it is written', () => {
  const { createOnUpdate, needsVersionOnUpdate, deleteAnswers, prepareForCreate } = runtimeClasses
  expect([createOnUpdate, needsVersionOnUpdate, deleteAnswers, prepareForCreate]).toEqual([
    true,
    true,
    'status',
    undefined,
  ])
})

test('warnings', () => {
  const key = orch.resolve('beta.{label}/os')
  const next = of({ scheduling: { nodeSelector: { [key]: 'x', a: 'b' } } })
  const texts = [
    `scheduling.nodeSelector: ${key} is deprecated since v1.14; use "${orch.resolve('{label}/os')}" instead`,
  ]
  expect(runtimeClasses.warn!(next, null, c)).toEqual(texts)
  expect(runtimeClasses.warn!(next, next, c)).toEqual(texts)
  expect(runtimeClasses.warn!(of(), null, c)).toEqual([])
})

test('cells', () => {
  expect(cells(runtimeClasses, of())).toEqual(['x', 'runc', '<unknown>'])
})

import { describe, expect, test } from 'vitest'
import { choiceFault, CONTROLLER_NAMES, isChosen } from './choice.ts'
import { managedControllers } from './index.ts'

const all = () =>
  managedControllers({
    tokens: { ca: '', issue: () => Promise.resolve('') },
    signing: { authorities: {}, durationMs: 0 },
  })

test('every controller has a known name', () => {
  expect(
    all()
      .map(({ name }) => name)
      .filter((name) => !CONTROLLER_NAMES.includes(name)),
  ).toEqual([])
})

describe('a choice', () => {
  for (const [choice, expected] of [
    ['*', { podgc: true, tokencleaner: false }],
    ['', { podgc: false, tokencleaner: false }],
    ['*,-podgc', { podgc: false, tokencleaner: false }],
    ['-podgc,*', { podgc: false, tokencleaner: false }],
    ['podgc', { podgc: true, tokencleaner: false }],
    ['*,tokencleaner', { podgc: true, tokencleaner: true }],
    ['*,podgc,-podgc', { podgc: true, tokencleaner: false }],
    ['api', { podgc: true, tokencleaner: false }],
    ['-podgc,podgc', { podgc: false, tokencleaner: false }],
  ] as const)
    test(`of ${JSON.stringify(choice)}`, () => {
      const names = choice.split(',')
      const chosen = all()
        .filter((one) => isChosen(one, names))
        .map(({ name }) => name)
      const of = (name: string) => chosen.includes(name)
      expect({ podgc: of('podgc'), tokencleaner: of('tokencleaner') }).toEqual(expected)
    })
})

test('`api` chooses no controller of workloads, unless it is named', () => {
  const chosen = (names: string[]) =>
    all()
      .filter((one) => isChosen(one, names) && one.runsWorkloads === true)
      .map(({ name }) => name)
  expect(chosen(['*'])).toContain('deployment')
  expect(chosen(['api'])).toEqual([])
  expect(chosen(['api', 'statefulset'])).toEqual(['statefulset'])
})

describe('the names of controllers', () => {
  for (const [choice, fault] of [
    ['*', null],
    ['*,-deployment,nodeipam', null],
    ['podcg', '"podcg" is not in the list of known controllers (did you mean podgc?)'],
    ['-podgcc', '"podgcc" is not in the list of known controllers (did you mean podgc?)'],
    ['-*', '"*" is not in the list of known controllers'],
    ['', '"" is not in the list of known controllers'],
    ['nothing-like-it', '"nothing-like-it" is not in the list of known controllers: attachdetach,'],
  ] as const)
    test(`${JSON.stringify(choice)}: ${fault === null ? 'known' : 'refused'}`, () => {
      const found = choiceFault(choice.split(','))
      if (fault === null) expect(found).toBe(null)
      else expect(found).toContain(fault)
    })
})

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rule } from './rbac.fixture.ts'
import {
  atomsOf,
  compact,
  countAtoms,
  Cover,
  covers,
  printRules,
  ruleOf,
  uncovered,
} from './rule-cover.ts'
import type { Rule } from './rules.ts'

// Owned rules, wanted rules, missing rules.
const ROWS: readonly [string, readonly string[], readonly string[], readonly string[]][] = [
  ['nothing wanted', [], [], []],
  ['the same', ['get pods'], ['get pods'], []],
  ['more verbs', ['get,list pods'], ['get pods'], []],
  ['fewer verbs', ['get pods'], ['get,list pods'], ['list pods']],
  ['all verbs', ['* pods'], ['get,list pods'], []],
  ['all verbs wanted', ['get,list pods'], ['* pods'], ['* pods']],
  ['all verbs of all', ['* pods'], ['* pods'], []],
  ['verbs of several rules', ['get pods', 'list pods'], ['get,list pods'], []],
  ['another group', ['get pods'], ['get apps:pods'], ['get apps:pods']],
  ['all groups', ['get *:pods'], ['get apps:pods'], []],
  ['all groups wanted', ['get apps:pods'], ['get *:pods'], ['get *:pods']],
  ['a group of two', ['get "",apps:pods'], ['get apps:pods'], []],
  ['groups of several rules', ['get pods', 'get apps:pods'], ['get "",apps:pods'], []],
  ['another resource', ['get pods'], ['get services'], ['get services']],
  ['all resources', ['get *'], ['get services'], []],
  ['all resources wanted', ['get pods,services'], ['get *'], ['get *']],
  ['all of all', ['get *'], ['get *'], []],
  ['all have parts', ['get *'], ['get pods/log'], []],
  ['all have parts of all', ['get *'], ['get */scale'], []],
  ['a part', ['get pods/log'], ['get pods/log'], []],
  ['the whole is not its part', ['get pods'], ['get pods/log'], ['get pods/log']],
  ['a part is not the whole', ['get pods/log'], ['get pods'], ['get pods']],
  ['a part of any', ['get */log'], ['get pods/log'], []],
  ['another part of any', ['get */log'], ['get pods/exec'], ['get pods/exec']],
  ['a part of any wanted', ['get pods/log'], ['get */log'], ['get */log']],
  ['a part of any of any', ['get */log'], ['get */log'], []],
  ['parts are no wildcard', ['get pods/*'], ['get pods/log'], ['get pods/log']],
  ['no wildcard is the same as itself', ['get pods/*'], ['get pods/*'], []],
  ['a name', ['get pods'], ['get pods a'], []],
  ['the name', ['get pods a'], ['get pods a'], []],
  ['one of names', ['get pods a,b'], ['get pods b'], []],
  ['more names', ['get pods a'], ['get pods a,b'], ['get pods b']],
  ['names of several rules', ['get pods a', 'get pods b'], ['get pods a,b'], []],
  ['any name wanted', ['get pods a'], ['get pods'], ['get pods']],
  ['a path', ['get /a'], ['get /a'], []],
  ['another path', ['get /a'], ['get /b'], ['get /b']],
  ['a prefix', ['get /a/*'], ['get /a/b'], []],
  ['a longer prefix', ['get /a/*'], ['get /a/b/*'], []],
  ['a shorter prefix wanted', ['get /a/b/*'], ['get /a/*'], ['get /a/*']],
  ['the same prefix', ['get /a/*'], ['get /a/*'], []],
  ['all paths', ['get url:*'], ['get /a'], []],
  ['all paths wanted', ['get /*'], ['get url:*'], ['get url:*']],
  ['all paths by stars', ['get url:**'], ['get url:*'], []],
  ['all paths of all', ['get url:*'], ['get url:*'], []],
  ['another verb on a path', ['get /a'], ['post /a'], ['post /a']],
  ['all verbs on a path', ['* /a'], ['post /a'], []],
  ['resources are no paths', ['* *:*'], ['get /a'], ['get /a']],
  ['paths are no resources', ['* url:*'], ['get pods'], ['get pods']],
  ['parts in different rules', ['get services', 'list pods'], ['get pods'], ['get pods']],
  [
    'verbs and groups go together',
    ['get pods', 'list apps:pods'],
    ['get apps:pods'],
    ['get apps:pods'],
  ],
]

describe('uncovered permissions', () => {
  for (const [name, owned, wanted, missing] of ROWS)
    test(name, () =>
      expect(uncovered(owned.map(rule), wanted.map(rule)).map(ruleOf)).toEqual(missing.map(rule)),
    )
})

test('a rule is split into atoms', () => {
  expect(atomsOf(rule('get,list "",apps:pods a,b')).map(ruleOf)).toEqual(
    [
      'get pods a',
      'get pods b',
      'list pods a',
      'list pods b',
      'get apps:pods a',
      'get apps:pods b',
      'list apps:pods a',
      'list apps:pods b',
    ].map(rule),
  )
  expect(atomsOf(rule('get,post /a,/b')).map(ruleOf)).toEqual(
    ['get /a', 'post /a', 'get /b', 'post /b'].map(rule),
  )
})

test('a rule without verbs, groups or resources has no atoms', () => {
  for (const empty of [
    { verbs: [], apiGroups: [''], resources: ['pods'] },
    { verbs: ['get'], apiGroups: [], resources: ['pods'] },
    { verbs: ['get'], apiGroups: [''], resources: [] },
    { verbs: [], nonResourceURLs: ['/a'] },
    { verbs: ['get'] },
  ])
    expect(atomsOf(empty)).toEqual([])
})

test('atoms of one thing become one rule', () => {
  const atoms = [
    'get pods',
    'list pods a',
    'list,get pods',
    'get services',
    'get /a',
    'post /a',
    'watch pods a',
  ]
    .map(rule)
    .flatMap(atomsOf)
  expect(compact(atoms)).toEqual(
    ['get,list pods', 'list,watch pods a', 'get services', 'get /a', 'post /a'].map(rule),
  )
})

test('rules are listed sorted, each once', () => {
  expect(
    printRules(['watch,get pods a,b', 'get /a', 'get apps:deployments', 'get /a'].map(rule)),
  ).toBe(
    `{APIGroups:[""], Resources:["pods"], ResourceNames:["a" "b"], Verbs:["watch" "get"]}
{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}
{NonResourceURLs:["/a"], Verbs:["get"]}`,
  )
})

describe('many rules', () => {
  const some = (...words: string[]) => fc.uniqueArray(fc.constantFrom(...words), { maxLength: 3 })
  const anyRule = fc.record(
    {
      verbs: some('get', 'list', '*'),
      apiGroups: some('', 'apps', '*'),
      resources: some('pods', 'pods/log', '*/log', 'nodes', '*'),
      resourceNames: some('a', 'b'),
      nonResourceURLs: some('/x', '/x/*', '*'),
    },
    { requiredKeys: ['verbs'] },
  ) as fc.Arbitrary<Rule>

  test('are found by the index as by a full scan', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 6 }), anyRule, (owned, wanted) => {
        const cover = new Cover(owned)
        for (const atom of atomsOf(wanted))
          expect(cover.covers(atom)).toBe(owned.some((own) => covers(own, atom)))
      }),
      { numRuns: 400 },
    )
  })

  test('have as many atoms as are counted', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 4 }), (rules) => {
        expect(countAtoms(rules)).toBe(rules.flatMap(atomsOf).length)
      }),
    )
  })

  test('each atom is compared with related atoms only', () => {
    let looks = 0
    const owned = Array.from({ length: 2_000 }, (_, i) => ({
      verbs: ['get'],
      apiGroups: [''],
      resources: ['pods'],
      get resourceNames() {
        looks++
        return [`n${i}`]
      },
    }))
    const cover = new Cover(owned)
    looks = 0
    const names = owned.map((_, i) => `n${i}`)
    const wanted = { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: names }
    expect(atomsOf(wanted).every((atom) => cover.covers(atom))).toBe(true)
    expect(looks).toBe(2_000)
  })
})

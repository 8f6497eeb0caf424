import { describe, expect, test } from 'vitest'
import { ask, rule } from './rbac.fixture.ts'
import { prepareRules, ruleQuery, ruleAllows, withoutStars } from './rules.ts'

// Rule, request, whether it is allowed.
const ROWS: readonly [string, string, boolean][] = [
  // Verbs.
  ['get pods', 'get pods a/b', true],
  ['get pods', 'list pods a/', false],
  ['get,list pods', 'list pods a/', true],
  ['* pods', 'deletecollection pods a/', true],
  ['* pods', 'whatever pods a/', true],
  ['GET pods', 'get pods a/b', false],
  ['get pods', '* pods a/b', false],
  ['* pods', '* pods a/b', true],
  ['ge* pods', 'get pods a/b', false],
  // Groups.
  ['get pods', 'get apps:pods a/b', false],
  ['get apps:deployments', 'get apps:deployments a/b', true],
  ['get apps:deployments', 'get deployments a/b', false],
  ['get *:deployments', 'get deployments a/b', true],
  ['get *:deployments', 'get x.y:deployments a/b', true],
  ['get "",apps:deployments', 'get deployments a/b', true],
  ['get "",apps:deployments', 'get apps:deployments a/b', true],
  ['get apps:deployments', 'get *:deployments a/b', false],
  ['get *:deployments', 'get *:deployments a/b', true],
  ['get app*:deployments', 'get apps:deployments a/b', false],
  // Resources.
  ['get pods', 'get services a/b', false],
  ['get pods,services', 'get services a/b', true],
  ['get *', 'get services a/b', true],
  ['get Pods', 'get pods a/b', false],
  ['get pod', 'get pods a/b', false],
  ['get po*', 'get pods a/b', false],
  ['get pods', 'get * a/b', false],
  ['get *', 'get * a/b', true],
  // Sub-resources.
  ['get pods', 'get pods/log a/b', false],
  ['get pods/log', 'get pods/log a/b', true],
  ['get pods/log', 'get pods a/b', false],
  ['get pods/log', 'get pods/exec a/b', false],
  ['get *', 'get pods/log a/b', true],
  ['get */log', 'get pods/log a/b', true],
  ['get */log', 'get pods a/b', false],
  ['get */scale', 'get apps:deployments/scale a/b', false],
  ['get *:*/scale', 'get apps:deployments/scale a/b', true],
  ['get pods/*', 'get pods/log a/b', false],
  ['get pods/*', 'get pods a/b', false],
  ['get */*', 'get pods/log a/b', false],
  ['get */*', 'get pods/* a/b', true],
  ['get */', 'get pods a/b', false],
  ['get */scale', 'get */scale a/b', true],
  ['get pods/log,pods', 'get pods a/b', true],
  // Names.
  ['get pods  b', 'get pods a/b', true],
  ['get pods b', 'get pods a/b', true],
  ['get pods b', 'get pods a/c', false],
  ['get pods b,c', 'get pods a/c', true],
  ['get pods *', 'get pods a/c', false],
  ['get pods *', 'get pods a/*', true],
  ['list pods b', 'list pods a/', false],
  ['list pods b', 'list pods a/b', true],
  ['create pods b', 'create pods a/', false],
  ['create pods ""', 'create pods a/', false],
  ['deletecollection pods b', 'deletecollection pods a/', false],
  ['get pods B', 'get pods a/b', false],
  ['get pods/log b', 'get pods/log a/b', true],
  ['get pods/log b', 'get pods/log a/c', false],
  ['get nodes n1', 'get nodes n1', true],
  // URLs.
  ['get /healthz', 'get /healthz', true],
  ['get /healthz', 'get /healthz/', false],
  ['get /healthz', 'post /healthz', false],
  ['* /healthz', 'post /healthz', true],
  ['get /healthz/*', 'get /healthz/x', true],
  ['get /healthz/*', 'get /healthz/x/y', true],
  ['get /healthz/*', 'get /healthz/', true],
  ['get /healthz/*', 'get /healthz', false],
  ['get /healthz*', 'get /healthz', true],
  ['get /healthz*', 'get /healthzz', true],
  ['get /healthz***', 'get /healthz/x', true],
  ['get /h*z', 'get /healthz', false],
  ['get url:*', 'get /anything/at/all', true],
  ['get url:**', 'get /anything', true],
  ['get /a,/b', 'get /b', true],
  ['get /a', 'get /A', false],
  ['get /*', 'get /', true],
  // One sort of rule is not for the other.
  ['* *:*', 'get /healthz', false],
  ['* url:*', 'get pods a/b', false],
  ['* url:*', 'get * a/b', false],
]

describe('one rule and one request', () => {
  for (const [text, asked, allowed] of ROWS) {
    test(`"${text}" ${allowed ? 'allows' : 'does not allow'} "${asked}"`, () => {
      const given = rule(text.replace('  ', ' '))
      expect(ruleAllows(given, ruleQuery(ask(asked)))).toBe(allowed)
    })
  }
})

describe('many rules decide as each of them would', () => {
  const padding = ['watch zebras', 'watch lions', 'watch tigers', 'watch /zoo'].map(rule)
  for (const [text, asked, allowed] of ROWS) {
    test(`"${text}" and "${asked}"`, () => {
      const prepared = prepareRules([...padding, rule(text.replace('  ', ' ')), ...padding])
      expect(prepared.allows(ruleQuery(ask(asked)))).toBe(allowed)
    })
  }
})

test('lists that are absent or empty allow nothing', () => {
  const asked = ruleQuery(ask('get pods a/b'))
  for (const given of [
    { verbs: [] },
    { verbs: ['get'] },
    { verbs: ['get'], apiGroups: [''] },
    { verbs: ['get'], resources: ['pods'] },
    { verbs: ['get'], apiGroups: [], resources: ['pods'] },
    { verbs: ['get'], apiGroups: [''], resources: [] },
    { verbs: [], apiGroups: [''], resources: ['pods'] },
  ])
    expect(ruleAllows(given, asked)).toBe(false)
  expect(prepareRules([]).allows(asked)).toBe(false)
})

test('names of inherited members are names like others', () => {
  const prepared = prepareRules(
    ['get constructor', 'get __proto__', 'get a', 'get b', 'get c'].map(rule),
  )
  expect(
    ['constructor', '__proto__', 'toString', 'hasOwnProperty'].map((resource) =>
      prepared.allows(ruleQuery(ask(`get ${resource} a/b`))),
    ),
  ).toEqual([true, true, false, false])
})

test('a resource that a rule lists twice is found once', () => {
  const rules = [rule('get pods,pods'), rule('get a'), rule('get b'), rule('get c')]
  expect(prepareRules(rules).allows(ruleQuery(ask('get pods a/b')))).toBe(true)
})

test('all stars at the end of a pattern go', () => {
  expect(['/a', '/a*', '/a***', '*', '**', '', '/a*b*'].map(withoutStars)).toEqual([
    '/a',
    '/a',
    '/a',
    '',
    '',
    '',
    '/a*b',
  ])
})

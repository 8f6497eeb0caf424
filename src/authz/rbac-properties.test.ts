/** Properties of all roles and bindings, tried with generated ones. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AnyBinding } from '../kinds/rbac/binding-parts.ts'
import type { PolicyRule } from '../kinds/rbac/policy-rule.ts'
import type { Attributes } from './authorizer.ts'
import { indexOf, user, v } from './rbac.fixture.ts'
import { rbacAuthorizer } from './rbac.ts'
import { atomsOf, compact, ruleOf, uncovered } from './rule-cover.ts'
import { prepareRules, ruleQuery, ruleAllows, type Rule } from './rules.ts'
import { subjectMatches } from './subjects.ts'

const some = (...values: string[]) => fc.subarray(values)
const RESOURCES = ['pods', 'nodes', 'pods/log', 'nodes/log', '*/log', '*', 'pods/*', '*/*']
const URLS = ['/a', '/a/b', '/a*', '/a/*', '/', '/*', '*', '**']

const rules: fc.Arbitrary<Rule> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      verbs: some('get', 'list', '*'),
      apiGroups: some('', 'apps', '*'),
      resources: some(...RESOURCES),
      resourceNames: fc.oneof(fc.constant([]), some('x', 'y', '')),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ verbs: some('get', 'list', '*'), nonResourceURLs: some(...URLS) }),
  },
)
const requests: fc.Arbitrary<Attributes> = fc.record({
  isResource: fc.boolean(),
  verb: fc.constantFrom('get', 'list', 'create'),
  path: fc.constantFrom('/', '/a', '/a/b', '/a/b/c', '/ab'),
  group: fc.constantFrom('', 'apps', 'batch'),
  version: fc.constant('v1'),
  resource: fc.constantFrom('pods', 'nodes', 'jobs'),
  subresource: fc.constantFrom('', 'log', 'exec'),
  namespace: fc.constantFrom('', 'a', 'b'),
  name: fc.constantFrom('', 'x', 'y', 'z'),
})

test('rules that are covered allow nothing that their owner may not do', () => {
  fc.assert(
    fc.property(
      fc.array(rules, { maxLength: 4 }),
      fc.array(rules, { maxLength: 2 }),
      requests,
      (owned, wanted, request) => {
        const asked = ruleQuery(request)
        if (uncovered(owned, wanted).length > 0) return
        if (wanted.some((rule) => ruleAllows(rule, asked)))
          expect(owned.some((rule) => ruleAllows(rule, asked))).toBe(true)
      },
    ),
    { numRuns: 3000 },
  )
})

test('a rule and its atoms allow the same', () => {
  fc.assert(
    fc.property(rules, requests, (rule, request) => {
      const asked = ruleQuery(request)
      const allowed = ruleAllows(rule, asked)
      const atoms = atomsOf(rule)
      expect(atoms.some((atom) => ruleAllows(ruleOf(atom), asked))).toBe(allowed)
      expect(compact(atoms).some((one) => ruleAllows(one, asked))).toBe(allowed)
    }),
    { numRuns: 2000 },
  )
})

test('missing permissions are covered once they are added', () => {
  fc.assert(
    fc.property(
      fc.array(rules, { maxLength: 4 }),
      fc.array(rules, { maxLength: 3 }),
      (owned, wanted) => {
        expect(uncovered([...owned, ...uncovered(owned, wanted).map(ruleOf)], wanted)).toEqual([])
      },
    ),
    { numRuns: 1000 },
  )
})

test('prepared rules decide as each rule does', () => {
  fc.assert(
    fc.property(fc.array(rules, { maxLength: 9 }), requests, (list, request) => {
      const asked = ruleQuery(request)
      expect(prepareRules(list).allows(asked)).toBe(list.some((rule) => ruleAllows(rule, asked)))
    }),
    { numRuns: 2000 },
  )
})

const bindings = fc.record({
  namespace: fc.constantFrom('', 'a', 'b'),
  name: fc.constantFrom('b1', 'b2', 'b3'),
  kind: fc.constantFrom('Role', 'ClusterRole'),
  role: fc.constantFrom('r1', 'r2'),
  subjects: fc.array(
    fc.record({
      kind: fc.constantFrom('User', 'Group', 'ServiceAccount'),
      name: fc.constantFrom('alice', 'dev', 'robot'),
      namespace: fc.constantFrom('', 'a'),
    }),
    { maxLength: 3 },
  ),
  removed: fc.boolean(),
})
const steps = fc.oneof(
  bindings,
  fc.record({
    namespace: fc.constantFrom('', 'a', 'b'),
    name: fc.constantFrom('r1', 'r2'),
    rules: fc.array(rules, { maxLength: 5 }),
    removed: fc.boolean(),
  }),
)

test('after any additions and removals, the index agrees with a scan of all bindings', () => {
  const who = [
    user('alice'),
    user('x', 'dev', 'y'),
    user('alice', 'dev'),
    user('system:serviceaccount:a:robot'),
  ]
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 25 }), requests, (list, request) => {
      const index = indexOf({})
      const roles = new Map<string, readonly Rule[]>()
      const bound = new Map<string, AnyBinding>()
      for (const step of list) {
        const { namespace, name, removed } = step
        const metadata = namespace === '' ? { name } : { name, namespace }
        const key = `${namespace}/${name}`
        const event = removed ? 'removed' : 'set'
        if ('rules' in step) {
          index.roles[event]({ metadata, rules: step.rules as PolicyRule[] })
          if (removed) roles.delete(key)
          else roles.set(key, step.rules)
        } else {
          const binding: AnyBinding = {
            metadata,
            subjects: step.subjects,
            roleRef: { apiGroup: '', kind: step.kind, name: step.role },
          }
          index.bindings[event](binding)
          if (removed) bound.delete(key)
          else bound.set(key, binding)
        }
      }
      const asked = ruleQuery(request)
      for (const one of who) {
        const allowed = [...bound.values()].some(
          ({ metadata: { namespace = '' }, subjects, roleRef }) => {
            if (namespace !== '' && namespace !== request.namespace) return false
            if (!subjects!.some((subject) => subjectMatches(subject, one, namespace))) return false
            if (roleRef.kind === 'Role' && namespace === '') return false
            const given = roles.get(`${roleRef.kind === 'Role' ? namespace : ''}/${roleRef.name}`)
            return given?.some((rule) => ruleAllows(rule, asked)) === true
          },
        )
        expect(rbacAuthorizer(index, v).authorize(one, request).verdict).toBe(
          allowed ? 'allow' : 'no opinion',
        )
      }
    }),
    { numRuns: 1500 },
  )
})

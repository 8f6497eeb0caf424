/** The policy beside the facts it was made from. */
import { describe, expect, test } from 'vitest'
import { factText } from '../../../test/facts.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import { ruleOfLine } from './notation.ts'
import { bootstrapPolicy } from './policy.ts'

interface Fact {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly labels: object
  readonly annotations: object
  readonly rules?: readonly unknown[] | null
  readonly aggregationRule?: object
  readonly roleRef?: object
  readonly subjects?: readonly unknown[]
}

for (const v of Object.values(vocabularies)) {
  describe(`the policy in ${v.name} words agrees with the facts`, () => {
    const spell = (text: string) =>
      v.resolve(
        text
          .replaceAll('.{apiDomain}', '{api}')
          .replaceAll('{labelDomain}', '{label}')
          .replaceAll('{nodeagent}', '{agent}'),
      )
    const facts = JSON.parse(factText('bootstrap-policy.json'), (_, value: unknown) =>
      typeof value === 'string' ? spell(value) : value,
    ) as { items: Fact[] }
    const policy = bootstrapPolicy(v)
    const lists = {
      ClusterRole: policy.clusterRoles,
      ClusterRoleBinding: policy.clusterRoleBindings,
      Role: policy.roles,
      RoleBinding: policy.roleBindings,
    }
    const have = new Map(
      Object.entries(lists).flatMap(([kind, list]) =>
        list.map((object) => [
          `${kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`,
          object,
        ]),
      ),
    )
    test('the same objects', () => {
      expect([...have.keys()].sort()).toEqual(
        facts.items.map(({ kind, namespace = '', name }) => `${kind} ${namespace}/${name}`).sort(),
      )
    })
    for (const { kind, namespace, name, labels, annotations, rules, ...rest } of facts.items) {
      test(`${kind} ${namespace ?? ''}/${name}`, () => {
        // Keys of labels are templates too, which a reviver does not see.
        const keys = (object: object) =>
          Object.fromEntries(Object.entries(object).map(([key, value]) => [spell(key), value]))
        const wanted = {
          metadata: {
            name,
            ...(namespace === undefined ? {} : { namespace }),
            labels: keys(labels),
            annotations: keys(annotations),
          },
          ...(rules ? { rules } : {}),
          ...rest,
        }
        const text = JSON.stringify(wanted, (key, value) =>
          key === 'matchLabels' ? keys(value) : value,
        )
        expect(have.get(`${kind} ${namespace ?? ''}/${name}`)).toEqual(JSON.parse(text))
      })
    }
  })
}

test('lines are expanded', () => {
  const v = vocabularies.orch
  expect([
    ruleOfLine(['read', 'pods pods/log'], v),
    ruleOfLine(['read create', 'leases', 'coordination{api}', '{system}-scheduler'], v),
    ruleOfLine(['create', 'events', 'core events{api}'], v),
    ruleOfLine(['get', '/healthz /version/'], v),
    ruleOfLine(['*', '*', 'urls'], v),
  ]).toEqual([
    { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods', 'pods/log'] },
    {
      verbs: ['create', 'get', 'list', 'watch'],
      apiGroups: ['coordination.orch.io'],
      resources: ['leases'],
      resourceNames: ['orch-scheduler'],
    },
    { verbs: ['create'], apiGroups: ['', 'events.orch.io'], resources: ['events'] },
    { verbs: ['get'], nonResourceURLs: ['/healthz', '/version/'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ])
})

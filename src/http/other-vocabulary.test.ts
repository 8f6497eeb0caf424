import { expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { otherVocabularyWarning } from './other-vocabulary.ts'

const served = (group: string) =>
  ['rbac.authorization.orch.io', 'rbac.authorization.k8s.io', 'apps'].includes(group)

for (const { speaks, group, called, other } of [
  {
    speaks: 'orch',
    group: 'rbac.authorization.k8s.io',
    called: 'rbac.authorization.orch.io',
    other: 'kubernetes',
  },
  {
    speaks: 'kubernetes',
    group: 'rbac.authorization.orch.io',
    called: 'rbac.authorization.k8s.io',
    other: 'orch',
  },
  { speaks: 'orch', group: 'none.k8s.io', called: null, other: '' },
  { speaks: 'orch', group: 'rbac.authorization.orch.io', called: null, other: '' },
  { speaks: 'orch', group: 'apps', called: null, other: '' },
  { speaks: 'orch', group: '', called: null, other: '' },
] as const)
  test(`a server that speaks ${speaks}, asked for ${JSON.stringify(group)}`, () => {
    expect(otherVocabularyWarning(vocabularies[speaks], group, served)).toBe(
      called &&
        `this server speaks the vocabulary ${speaks}, in which the group ${group} is called ${called}; start it with --vocabulary ${other} for the names of that vocabulary`,
    )
  })

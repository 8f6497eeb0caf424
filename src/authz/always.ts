import type { Authorizer, Decision } from './authorizer.ts'

const ALLOW: Decision = Object.freeze({ verdict: 'allow', reason: '' })
// Not a denial: modules that come later may still allow.
const REFUSE: Decision = Object.freeze({
  verdict: 'no opinion',
  reason: 'Everything is forbidden.',
})

/** The mode AlwaysAllow: allows everything. */
export const alwaysAllow: Authorizer = {
  name: 'AlwaysAllow',
  authorize: () => ALLOW,
  rulesFor: () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
    error: '',
  }),
}

/** The mode AlwaysDeny: denies everything, for tests. */
export const alwaysDeny: Authorizer = {
  name: 'AlwaysDeny',
  authorize: () => REFUSE,
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false, error: '' }),
}

/** Who sends the requests. Tokens decide, but for one who shows a certificate. */
import type { Field, IdentityName } from './request.ts'

const NOBODY = 'fz-nobody'
const READER = 'fz-reader'
const TOKENS = { administrator: 'fz-t0', reader: 'fz-t1', nobody: 'fz-t2' } as const

/** The file of tokens that the server is started with. */
export const tokenFile = [
  `${TOKENS.administrator},fz-administrator,1,"system:masters"`,
  `${TOKENS.reader},${READER},2,""`,
  `${TOKENS.nobody},${NOBODY},3,""`,
  '',
].join('\n')

const bearer = (token: string): Field => ['authorization', `Bearer ${token}`]
const as = (user: string): readonly Field[] => [
  bearer(TOKENS.administrator),
  ['impersonate-user', user],
]

/** The headers that show who asks. */
export const shown: Readonly<Record<IdentityName, readonly Field[]>> = {
  certificate: [],
  administrator: [bearer(TOKENS.administrator)],
  reader: [bearer(TOKENS.reader)],
  nobody: [bearer(TOKENS.nobody)],
  anonymous: [],
  asNobody: as(NOBODY),
  asReader: as(READER),
}

/** Whether nothing that they send may change anything. */
export const mayWrite = (identity: IdentityName): boolean =>
  identity === 'certificate' || identity === 'administrator'

export const POWERLESS: readonly IdentityName[] = [
  'reader',
  'nobody',
  'anonymous',
  'asNobody',
  'asReader',
]

/** What lets the readers read; `group` is that of the access rules. */
export const readerRules = (group: string): readonly object[] => [
  {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'witness-reader' },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
  },
  {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'witness-reader' },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'witness-reader' },
    subjects: [{ apiGroup: group, kind: 'User', name: READER }],
  },
]

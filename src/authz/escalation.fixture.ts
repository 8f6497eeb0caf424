/** A cluster in which some may give more than others, and rows of writes by them. */
import { expect, test } from 'vitest'
import { StatusError } from '../meta/errors.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { Authorizer, Subject } from './authorizer.ts'
import { checkEscalation, type RoleWrite } from './escalation.ts'
import { binding, indexOf, role, v } from './rbac.fixture.ts'
import { rbacAuthorizer } from './rbac.ts'

/** The API group of roles. */
export const api = 'rbac.authorization.k8s.io'
/** Roles and bindings of the cluster. */
export const index = indexOf({
  roles: [
    role('admin', '* *:*', '* url:*'),
    role('almost', 'get,list,create,update *:*', '* url:*'),
    role('reader', 'get,list pods'),
    role('escalator', `escalate ${api}:clusterroles r1`, `escalate ${api}:roles`),
    role('binder', `bind ${api}:clusterroles admin`, `bind ${api}:roles`),
    role('a/secrets', 'get secrets'),
    role('paths', 'get /metrics'),
  ],
  bindings: [
    binding('admins', 'ClusterRole admin', 'User root'),
    binding('almost', 'ClusterRole almost', 'User almost'),
    binding('readers', 'ClusterRole reader', 'User alice', 'User broken'),
    binding('escalators', 'ClusterRole escalator', 'User eve'),
    binding('binders', 'ClusterRole binder', 'User ben'),
    binding('a/secrets', 'Role secrets', 'User alice'),
    binding('broken', 'ClusterRole gone', 'User broken'),
  ],
})
const authorizer = rbacAuthorizer(index, v)

/** A write, and how it ends. */
export interface WriteRow {
  readonly name: string
  readonly resource: string
  readonly user: Subject
  readonly namespace?: string
  readonly requestName?: string
  readonly object: Typed
  readonly old?: Typed
  /** Null: passes. */
  readonly error: { readonly code: number; readonly message: string } | null
}

/** Why a user may not give rules. */
export const lacks = (who: string, groups: string, rules: string) =>
  `user "${who}" (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${rules}`
/** A 403. */
export const no = (resource: string, name: string, why: string) => ({
  code: 403,
  message: `${resource}.${api} "${name}" is forbidden: ${why}`,
})
const writeOf = ({
  resource,
  user,
  namespace = '',
  requestName = '',
  object,
  old,
}: WriteRow): RoleWrite => ({
  operation: old ? 'update' : 'create',
  resource,
  user,
  namespace,
  requestName,
  object,
  old: old ?? null,
})
const told = (error: unknown) =>
  error instanceof StatusError ? { code: error.code, message: error.message } : error

/** Tries each row with synchronous authorizers, and with asynchronous ones. */
export function tryWrites(rows: readonly WriteRow[]): void {
  for (const one of rows) {
    test(one.name, async () => {
      let error: unknown = null
      try {
        await checkEscalation(writeOf(one), { authorizer, index, v })
      } catch (e) {
        error = told(e)
      }
      expect(error).toEqual(one.error)
    })
    test(`${one.name}, when the authorizers take their time`, async () => {
      const slow: Pick<Authorizer, 'authorize'> = {
        authorize: (...asked) => Promise.resolve(authorizer.authorize(...asked)),
      }
      let error: unknown = null
      try {
        await checkEscalation(writeOf(one), { authorizer: slow, index, v })
      } catch (e) {
        error = told(e)
      }
      expect(error).toEqual(one.error)
    })
  }
}

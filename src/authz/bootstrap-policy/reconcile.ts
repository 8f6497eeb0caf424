/**
 * Changes that a stored role or binding needs so that it gives at least what the policy says. Additions of users
 * stay.
 */
import type { RoleRef } from '../../kinds/rbac/binding-parts.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { ruleOf, uncovered } from '../rule-cover.ts'
import type { Rule } from '../rules.ts'
import type { PolicyBinding, PolicyRole, PolicySubject } from './policy.ts'

/** Change of a role or binding. */
export type Repair<Members> =
  /** As it should be, or protected by its annotation. */
  | { readonly is: 'none' }
  | { readonly is: 'create' }
  /** Members to replace, those of the metadata one by one; undefined ones are removed. */
  | { readonly is: 'update'; readonly members: Members }
  /** The role of a binding cannot change: delete it under its uid, then make it anew. */
  | { readonly is: 'recreate' }

/** Labels and annotations to be replaced; absent when they are complete. */
export interface MetadataRepair {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** Members of a role to be replaced. */
export interface RoleRepair {
  readonly metadata?: MetadataRepair
  readonly rules?: readonly Rule[]
  readonly aggregationRule?: { readonly clusterRoleSelectors: readonly unknown[] } | undefined
}

/** Members of a binding to be replaced. */
export interface BindingRepair {
  readonly metadata?: MetadataRepair
  readonly subjects?: readonly PolicySubject[]
}

interface StoredMetadata {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** A role as it is stored. */
export interface StoredRole {
  readonly metadata: StoredMetadata
  readonly rules?: readonly Rule[]
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly unknown[] }
}

/** A binding as it is stored. */
export interface StoredBinding {
  readonly metadata: StoredMetadata
  readonly subjects?: readonly PolicySubject[]
  readonly roleRef: Readonly<Pick<RoleRef, 'apiGroup' | 'kind' | 'name'>>
}

const NONE = { is: 'none' } as const

/** Compares a stored role, null when there is none, with the one of the policy. */
export function reconcileRole(
  existing: StoredRole | null,
  expected: PolicyRole,
  v: Vocabulary,
): Repair<RoleRepair> {
  if (!existing) return { is: 'create' }
  if (isProtected(existing.metadata, v)) return NONE
  const metadata = metadataRepair(existing.metadata, expected.metadata)
  const rules = existing.rules ?? []
  const missing = uncovered(rules, expected.rules ?? [])
  const gathering = gatheringRepair(existing.aggregationRule, expected.aggregationRule)
  const members: RoleRepair = {
    ...(metadata ? { metadata } : {}),
    ...(missing.length > 0 ? { rules: [...rules, ...missing.map(ruleOf)] } : {}),
    ...gathering,
  }
  return Object.keys(members).length === 0 ? NONE : { is: 'update', members }
}

/** Compares a stored binding, null when there is none, with the one of the policy. */
export function reconcileBinding(
  existing: StoredBinding | null,
  expected: PolicyBinding,
  v: Vocabulary,
): Repair<BindingRepair> {
  if (!existing) return { is: 'create' }
  if (isProtected(existing.metadata, v)) return NONE
  const { apiGroup, kind, name } = existing.roleRef
  if (!sameValue({ apiGroup, kind, name }, expected.roleRef)) return { is: 'recreate' }
  const metadata = metadataRepair(existing.metadata, expected.metadata)
  const subjects = existing.subjects ?? []
  const missing = (expected.subjects ?? []).filter(
    (wanted) => !subjects.some((subject) => isSameSubject(subject, wanted)),
  )
  const members: BindingRepair = {
    ...(metadata ? { metadata } : {}),
    ...(missing.length > 0 ? { subjects: [...subjects, ...missing] } : {}),
  }
  return Object.keys(members).length === 0 ? NONE : { is: 'update', members }
}

const isProtected = ({ annotations }: StoredMetadata, v: Vocabulary): boolean => {
  const key = v.resolve('rbac.authorization.{label}/autoupdate')
  return (
    annotations !== undefined && Object.hasOwn(annotations, key) && annotations[key] === 'false'
  )
}

function metadataRepair(
  existing: StoredMetadata,
  expected: Required<StoredMetadata>,
): MetadataRepair | null {
  const labels = completed(existing.labels, expected.labels)
  const annotations = completed(existing.annotations, expected.annotations)
  if (!labels && !annotations) return null
  return { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) }
}

/** Both maps as one, in which present values win; null when nothing is missing. */
function completed(
  existing: Readonly<Record<string, string>> = {},
  expected: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  const missing = Object.entries(expected).filter(([key]) => !Object.hasOwn(existing, key))
  return missing.length === 0 ? null : { ...existing, ...Object.fromEntries(missing) }
}

/** The member to be replaced, if it has to be. */
function gatheringRepair(
  existing: StoredRole['aggregationRule'],
  expected: PolicyRole['aggregationRule'],
): Pick<RoleRepair, 'aggregationRule'> {
  if (!expected) return existing ? { aggregationRule: undefined } : {}
  const selectors = existing?.clusterRoleSelectors ?? []
  const missing = expected.clusterRoleSelectors.filter(
    (wanted) => !selectors.some((selector) => sameValue(selector, wanted)),
  )
  if (missing.length === 0) return {}
  return { aggregationRule: { clusterRoleSelectors: [...selectors, ...missing] } }
}

const isSameSubject = (a: PolicySubject, b: PolicySubject): boolean =>
  a.kind === b.kind &&
  a.name === b.name &&
  (a.namespace ?? '') === (b.namespace ?? '') &&
  (a.apiGroup ?? '') === (b.apiGroup ?? '')

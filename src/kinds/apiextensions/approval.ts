/** Groups under the protected domains need an annotation with a reference to their approval. */
import type { HookContext } from '../../catalogue/resource.ts'
import type { FieldErrors } from '../../meta/field-errors.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { splitUrl } from '../admissionregistration/client-config-rules.ts'

interface Approvable {
  readonly metadata: ObjectMeta
  readonly spec: { readonly group: string }
}

/** What the annotation of a definition says. */
export type Approval = 'missing' | 'invalid' | 'bypassed' | 'approved'

const RULE = 'must be the URL of the approval, or start with "unapproved" where there is none'

/** Whether a group belongs to the domains of the system. */
export function isProtectedGroup(group: string, v: Vocabulary): boolean {
  const domains = [v.resolve('{api}').slice(1), v.resolve('{label}')]
  return domains.some((domain) => group === domain || group.endsWith(`.${domain}`))
}

/** Validates the annotation of a definition, at the root; an update may keep what is wrong. */
export function validateApproval(
  next: Approvable,
  errors: FieldErrors,
  { v }: HookContext,
  old?: Approvable,
): void {
  if (!isProtectedGroup(next.spec.group, v)) return
  const text = approvalText(next.metadata, v)
  const state = approvalOf(text)
  if (old && approvalOf(approvalText(old.metadata, v)) === state) return
  const at = errors.at('metadata', 'annotations').key(approvalKey(v))
  if (state === 'missing') at.required(RULE)
  if (state === 'invalid') at.invalid(text, RULE)
}

/** The annotation of a definition; empty without one. */
export const approvalText = ({ annotations }: ObjectMeta, v: Vocabulary): string =>
  annotations?.[approvalKey(v)] ?? ''

/** Reads an annotation. */
export function approvalOf(text: string): Approval {
  if (text === '') return 'missing'
  if (text.startsWith('unapproved')) return 'bypassed'
  const url = splitUrl(text)
  return url && url.scheme !== '' && url.host !== '' ? 'approved' : 'invalid'
}

/** The name of the annotation. */
export const approvalKey = (v: Vocabulary): string => v.resolve('api-approved.{label}')

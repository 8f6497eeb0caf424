/** Options of requests in the form that admission sees. */
import type { OperationOptions } from '../admission/attributes.ts'
import { first, type HookDependencies, type Call } from './context.ts'
import type { Given } from './delete.ts'

/** Options of a write. A patch has those of an update, or of a create when it makes the object. */
export function optionsOfWrite(
  { v }: Pick<HookDependencies, 'v'>,
  { query }: Call,
  kind: 'CreateOptions' | 'UpdateOptions',
): OperationOptions {
  const dryRun = (query.get('dryRun') ?? []).filter((value) => value !== '')
  const fieldManager = first(query, 'fieldManager') ?? ''
  const fieldValidation = first(query, 'fieldValidation') ?? ''
  return {
    kind,
    apiVersion: v.resolve('meta{api}/v1'),
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(fieldManager === '' ? {} : { fieldManager }),
    ...(fieldValidation === '' ? {} : { fieldValidation }),
  }
}

/** Options of a deletion, as they were sent. */
export function optionsOfDeletion(
  { v }: Pick<HookDependencies, 'v'>,
  { dryRun = [], ...given }: Given,
): OperationOptions {
  const all = dryRun.filter((value) => value !== '')
  return {
    kind: 'DeleteOptions',
    apiVersion: v.resolve('meta{api}/v1'),
    ...given,
    ...(all.length === 0 ? {} : { dryRun: all }),
  }
}

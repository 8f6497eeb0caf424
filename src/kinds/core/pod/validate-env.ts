import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isConfigKey, isDns1123Subdomain, isEnvVarName } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import {
  validateObjectFieldSelector,
  validateResourceFieldSelector,
} from '../volumes/pod-fields.ts'
import type { EnvFromSource, EnvVar, EnvVarSource } from './env.ts'

/** Field paths allowed in environment variables, in the order of error messages. */
const ENV_FIELDS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.podIP',
  'status.podIPs',
]

/** Validates environment variables; reports to `errors`. */
export function validateEnv(list: readonly EnvVar[], errors: FieldErrors, c: HookContext): void {
  list.forEach((one, i) => {
    const at = errors.at(i)
    if (one.name === '') at.at('name').required()
    else at.at('name').invalidAll(one.name, isEnvVarName(one.name))
    if (one.valueFrom) validateSource(one.valueFrom, one.value ?? '', at.at('valueFrom'), c)
  })
}

function validateSource(
  source: EnvVarSource,
  value: string,
  errors: FieldErrors,
  c: HookContext,
): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source
  if (fieldRef) validateObjectFieldSelector(fieldRef, ENV_FIELDS, errors.at('fieldRef'))
  if (resourceFieldRef) {
    const at = errors.at('resourceFieldRef')
    validateResourceFieldSelector(resourceFieldRef, at, c, 'environment')
  }
  if (configMapKeyRef) validateEntry(configMapKeyRef, errors.at('configMapKeyRef'))
  if (secretKeyRef) validateEntry(secretKeyRef, errors.at('secretKeyRef'))

  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter(Boolean).length
  if (count === 0) {
    errors.invalid(
      '',
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
    )
  } else if (value !== '') {
    errors.invalid('', 'may not be specified when `value` is not empty')
  } else if (count > 1) {
    errors.invalid('', 'may not have more than one field specified at a time')
  }
}

function validateEntry(
  { name = '', key }: { name?: string; key: string },
  errors: FieldErrors,
): void {
  errors.at('name').invalidAll(name, isDns1123Subdomain(name))
  if (key === '') errors.at('key').required()
  else errors.at('key').invalidAll(key, isConfigKey(key))
}

/** Validates environment sources; reports to `errors`. */
export function validateEnvFrom(list: readonly EnvFromSource[], errors: FieldErrors): void {
  list.forEach(({ prefix, configMapRef, secretRef }, i) => {
    const at = errors.at(i)
    if (prefix !== undefined) at.at('prefix').invalidAll(prefix, isEnvVarName(prefix))
    if (configMapRef) validateName(configMapRef, at.at('configMapRef', 'name'))
    if (secretRef) validateName(secretRef, at.at('secretRef', 'name'))
    if (!configMapRef && !secretRef) {
      at.invalid('', 'must specify one of: `configMapRef` or `secretRef`')
    } else if (configMapRef && secretRef) {
      at.invalid('', 'may not have more than one field specified at a time')
    }
  })
}

function validateName({ name = '' }: { name?: string }, errors: FieldErrors): void {
  if (name === '') errors.required()
  else errors.invalidAll(name, isDns1123Subdomain(name))
}

import { MAX_PATTERN_WEIGHT } from '../../base/pattern-weight.ts'
import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { isDns1123Subdomain } from '../../meta/names.ts'
import type { HookContext } from '../../catalogue/resource.ts'
import type { Steps } from '../../base/steps.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import {
  hasKnownReview,
  validateClient,
  validateReviewVersions,
} from '../admissionregistration/client-config-rules.ts'
import type {
  CustomResourceConversion,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from './custom-resource-definition-spec.ts'
import { RuleChecks } from '../../structural/check-rule.ts'
import { DefaultRules, hasUnprunedDefault } from '../../structural/default-rules.ts'
import type { SchemaProps } from '../../structural/json-schema-props.ts'
import { hasHeavyPatterns } from './prepare-schema.ts'
import { requireNames, validateNames } from './name-rules.ts'
import { validateRoot } from '../../structural/root-rules.ts'
import { SchemaExpressions } from '../../structural/schema-expressions.ts'
import {
  hasKnownType,
  validateSchema,
  wrongKeys,
  wrongSetItem,
} from '../../structural/schema-rules.ts'
import { isReadable, validateStructural } from '../../structural/structural-rules.ts'
import {
  validateColumns,
  validateDeprecation,
  validateSubresources,
  validateVersionList,
} from './version-rules.ts'
import { someSchema } from '../../structural/walk-schema.ts'

const SCOPES = ['Cluster', 'Namespaced']

/**
 * Maximum number of versions of one definition. Each is served separately. A limit of this server, not of the
 * reference.
 */
const MAX_VERSIONS = 1_000

/** Validates the spec of a definition, at `errors`; `old` is the stored one. */
export function* validateDefinitionSpec(
  spec: CustomResourceDefinitionSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: CustomResourceDefinitionSpec,
): Steps<void> {
  validateGroup(spec.group, errors.at('group'))
  if (spec.scope === '') errors.at('scope').required()
  else if (!SCOPES.includes(spec.scope)) errors.at('scope').notSupported(spec.scope, SCOPES)
  requireSchemas(spec, errors, old)
  if (spec.preserveUnknownFields && schemasOf(spec).some(hasDefault)) {
    errors
      .at('preserveUnknownFields')
      .invalid(true, 'must be false in order to use defaults in the schema')
  }
  if (spec.versions.length > Math.max(MAX_VERSIONS, old?.versions.length ?? 0)) {
    errors.at('versions').tooMany(spec.versions.length, MAX_VERSIONS)
    return
  }
  validateVersionList(spec.versions, errors.at('versions'))
  if (hasHeavyPatterns(spec)) {
    errors
      .at('versions')
      .forbidden(
        `the patterns of the schemas are too large: together they must have at most ${MAX_PATTERN_WEIGHT} characters, with what is repeated as often as it may be`,
      )
    return
  }
  yield
  requireNames(spec.names, errors.at('names'))
  validateNames(spec.names, errors.at('names'))
  const needs = needsOf(spec, old)
  yield
  yield* validateVersions(spec, needs, errors, c)
  validateConversion(spec, errors.at('conversion'), old)
  if (spec.preserveUnknownFields && old?.preserveUnknownFields !== true) {
    const text =
      'cannot set to true, set x-{brand}-preserve-unknown-fields to true in spec.versions[*].schema instead'
    errors.at('preserveUnknownFields').invalid(true, c.v.resolve(text))
  }
}

function validateGroup(group: string, errors: FieldErrors): void {
  if (group === '') {
    errors.required()
    return
  }
  const wrong = isDns1123Subdomain(group)
  if (wrong.length > 0) errors.invalid(group, wrong.join(','))
  else if (!group.includes('.')) {
    errors.invalid(group, 'should be a domain with at least one dot')
  }
}

const schemaOf = ({ schema }: CustomResourceDefinitionVersion): SchemaProps | undefined =>
  schema?.openAPIV3Schema

const schemasOf = ({ versions }: CustomResourceDefinitionSpec): SchemaProps[] =>
  versions.flatMap((version) => schemaOf(version) ?? [])

function requireSchemas(
  spec: CustomResourceDefinitionSpec,
  errors: FieldErrors,
  old?: CustomResourceDefinitionSpec,
): void {
  if (old && !old.versions.every(schemaOf)) return
  for (const [i, version] of spec.versions.entries()) {
    if (!schemaOf(version)) {
      errors.at('versions', i, 'schema', 'openAPIV3Schema').required('schemas are required')
    }
  }
}

const hasDefault = (schema: SchemaProps): boolean =>
  someSchema(schema, (one) => one.default !== undefined)

/** Rules that stored definitions may keep breaking. */
interface Needs {
  readonly structural: boolean
  readonly types: boolean
  readonly prunedDefaults: boolean
  readonly atomicSets: boolean
  readonly mapKeys: boolean
}

function needsOf(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
): Needs {
  const before = old ? schemasOf(old) : []
  const none = (broken: (schema: SchemaProps) => boolean) =>
    !before.some((schema) => someSchema(schema, broken))
  return {
    structural: spec.preserveUnknownFields !== true || !old || usesExtensions(spec),
    types: none((one) => !hasKnownType(one)),
    prunedDefaults: !before.some(hasUnprunedDefault),
    atomicSets: none((one) => wrongSetItem(one) !== null),
    mapKeys: none((one) => wrongKeys(one).length > 0),
  }
}

/** Whether schemas use features that require structural schemas. */
const usesExtensions = (spec: CustomResourceDefinitionSpec): boolean =>
  schemasOf(spec).some((schema) =>
    someSchema(schema, (one) =>
      Object.keys(one).some((name) => name === 'default' || name.startsWith('x-{brand}-')),
    ),
  )

/**
 * Validates the versions. Parts that are equal in all versions are checked once and reported on the top-level fields of
 * the spec that an earlier version of the API had.
 */
function* validateVersions(
  spec: CustomResourceDefinitionSpec,
  needs: Needs,
  errors: FieldErrors,
  c: HookContext,
): Steps<void> {
  const { versions } = spec
  const same = (field: 'schema' | 'subresources' | 'additionalPrinterColumns') =>
    versions.every((version) => sameValue(version[field], versions[0]?.[field]))
  const sameSchema = same('schema')
  const sameSubresources = same('subresources')
  const sameColumns = same('additionalPrinterColumns')
  for (const [i, version] of versions.entries()) {
    const at = errors.at('versions', i)
    validateDeprecation(version, at)
    const hasStatus = version.subresources?.status !== undefined
    const schema = schemaOf(version)
    if (!sameSchema && schema) {
      yield* validateVersionSchema(
        schema,
        hasStatus,
        needs,
        c.v,
        at.at('schema', 'openAPIV3Schema'),
      )
    }
    if (!sameSubresources) validateSubresources(version.subresources, at.at('subresources'))
    if (!sameColumns) {
      validateColumns(version.additionalPrinterColumns, at.at('additionalPrinterColumns'))
    }
  }
  const [first] = versions
  const schema = first && schemaOf(first)
  if (sameSchema && schema) {
    const hasStatus = versions.some(({ subresources }) => subresources?.status !== undefined)
    // As the reference writes it: the path of an earlier version, where all versions had one schema.
    const at = errors.at('validation', 'openAPIV3Schema')
    yield* validateVersionSchema(schema, hasStatus, needs, c.v, at)
  }
  if (sameSubresources) validateSubresources(first?.subresources, errors.at('subresources'))
  if (sameColumns) {
    validateColumns(first?.additionalPrinterColumns, errors.at('additionalPrinterColumns'))
  }
}

function* validateVersionSchema(
  schema: SchemaProps,
  hasStatus: boolean,
  needs: Needs,
  v: Vocabulary,
  errors: FieldErrors,
): Steps<void> {
  validateRoot(schema, hasStatus, v, errors)
  const readable = isReadable(schema)
  yield
  let checks: RuleChecks | null = null
  if (needs.structural && readable) {
    const before = errors.list.length
    yield* validateStructural(schema, v, errors)
    if (errors.list.length === before) {
      const expressions = SchemaExpressions.of(schema)
      if (expressions) checks = new RuleChecks(expressions, v)
      yield
      new DefaultRules(needs.prunedDefaults, expressions, v).check(schema, errors)
    }
  }
  yield
  const before = errors.list.length
  validateSchema(schema, needs, checks, v, errors)
  if (needs.structural && !readable && errors.list.length === before) {
    errors.invalid('', '$schema is not supported')
  }
}

const STRATEGIES = ['None', 'Webhook']

function validateConversion(
  { conversion, preserveUnknownFields = false }: CustomResourceDefinitionSpec,
  errors: FieldErrors,
  old?: CustomResourceDefinitionSpec,
): void {
  if (!conversion) return
  const { strategy, webhook } = conversion
  if (strategy !== 'None' && preserveUnknownFields) {
    errors.at('strategy').invalid(strategy, 'must be None if spec.preserveUnknownFields is true')
  }
  if (strategy === '') errors.at('strategy').required()
  else if (!STRATEGIES.includes(strategy)) errors.at('strategy').notSupported(strategy, STRATEGIES)
  // As the reference writes it: errors name the fields of an earlier version of the API.
  const client = errors.at('webhookClientConfig')
  const reviews = errors.at('conversionReviewVersions')
  const versions = webhook?.conversionReviewVersions ?? []
  if (strategy === 'Webhook') {
    if (webhook?.clientConfig) validateClient(webhook.clientConfig, client)
    else client.required('required when strategy is set to Webhook')
    validateReviewVersions(versions, hasKnownReview(reviewsOf(old?.conversion)), reviews)
    return
  }
  const text = 'should not be set when strategy is not set to Webhook'
  if (webhook?.clientConfig) client.forbidden(text)
  if (versions.length > 0) reviews.forbidden(text)
}

const reviewsOf = (conversion: CustomResourceConversion | undefined): readonly string[] =>
  conversion?.webhook?.conversionReviewVersions ?? []

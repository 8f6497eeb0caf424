import { Pace } from '../../base/event-loop.ts'
import { shortened } from '../../base/short-text.ts'
import { paced, type Steps } from '../../base/steps.ts'
import { FieldErrors, TooManyErrors } from '../../meta/field-errors.ts'
import { isReadable, validateStructural } from '../../structural/structural-rules.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { CustomResourceDefinitionSpec } from './custom-resource-definition-spec.ts'

/** UTF-16 units of a message. */
const MAX_MESSAGE = 32_768

/** What is not structural about the schemas of a definition, as a condition says it; null: nothing. */
export async function structureFault(
  spec: CustomResourceDefinitionSpec,
  v: Vocabulary,
): Promise<{ readonly reason: string; readonly message: string } | null> {
  const errors = new FieldErrors()
  const at = errors.at('spec')
  if (spec.preserveUnknownFields) at.at('preserveUnknownFields').invalid(true, 'must be false')
  for (const [i, { name, schema }] of spec.versions.entries()) {
    const props = schema?.openAPIV3Schema
    if (!props) continue
    if (!isReadable(props)) {
      const message = `the schema of version ${name} has keywords that no structural schema has`
      return { reason: 'StructuralError', message }
    }
    await checked(validateStructural(props, v, at.at('versions', i, 'schema', 'openAPIV3Schema')))
  }
  if (errors.list.length === 0) return null
  const texts = [...new Set(errors.list.map(({ field, message }) => `${field}: ${message}`))]
  const message = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`
  return { reason: 'Violations', message: shortened(message, MAX_MESSAGE) }
}

/** Runs a check to its end, or to the most violations that are listed. */
async function checked(steps: Steps<void>): Promise<void> {
  try {
    await paced(steps, new Pace())
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error
  }
}

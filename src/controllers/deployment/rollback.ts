/** Rollback of a Deployment to an earlier revision, as an annotation asks for it. */
import { integerOf, revisionOf, ROLLBACK, rolledBackAnnotations } from './annotations.ts'
import type { DeploymentWrites } from './deployment-writes.ts'
import { allOf, hasTemplateOf, withoutHash, type Sets } from './sets.ts'

const NOT_FOUND = 'DeploymentRollbackRevisionNotFound'

/** Takes over the template of the revision that is asked for, and removes the annotation. */
export async function rollBack(writes: DeploymentWrites, sets: Sets): Promise<void> {
  const { deployment, parts } = writes
  const { names } = parts
  const asked = integerOf(deployment, ROLLBACK) ?? 0
  const revisions = allOf(sets).map((set) => revisionOf(set, names))
  const revision = asked === 0 ? lastButOne(revisions) : asked
  const set = allOf(sets).find((one) => revision !== 0 && revisionOf(one, names) === revision)
  if (!set) {
    const what = revision === 0 ? 'last revision' : 'the revision to rollback to'
    writes.event('Warning', NOT_FOUND, `Unable to find ${what}.`)
  } else if (hasTemplateOf(set, deployment)) {
    const message = `The rollback revision contains the same template as current deployment "${deployment.metadata.name}"`
    writes.event('Warning', 'DeploymentRollbackTemplateUnchanged', message)
  } else {
    deployment.spec.template = structuredClone(withoutHash(set.spec.template))
    deployment.metadata.annotations = rolledBackAnnotations(deployment, set, names)
    const message = `Rolled back deployment "${deployment.metadata.name}" to revision ${revision}`
    await clear(writes)
    return writes.event('Normal', 'DeploymentRollback', message)
  }
  await clear(writes)
}

async function clear(writes: DeploymentWrites): Promise<void> {
  delete writes.deployment.metadata.annotations?.[ROLLBACK]
  await writes.writeDeployment()
}

/** The second highest revision; 0 where there is none. */
const lastButOne = (revisions: readonly number[]): number =>
  [...new Set(revisions)].sort((a, b) => b - a)[1] ?? 0

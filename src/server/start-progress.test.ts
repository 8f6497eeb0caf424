import { expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { StartProgress } from './start-progress.ts'

/** Endpoints where the check of a step fails. */
function failingIn(progress: StartProgress, name: string, mayTakeLonger: () => boolean): string[] {
  return progress
    .checks(vocabularies.orch, mayTakeLonger)
    .filter((check) => check.name === name)
    .flatMap(({ of, check }) => {
      try {
        void check()
        return []
      } catch (error) {
        return of.map((root) => `${root}: ${(error as Error).message}`)
      }
    })
}

test('a start may take its time to count as live, but not to count as ready', async () => {
  const clock = new ManualClock()
  const until = clock.now() + 1000
  const progress = new StartProgress(['rbac/bootstrap-roles'])
  const failing = (name: string) => failingIn(progress, name, () => clock.now() < until)
  const name = 'poststarthook/bootstrap-controller'
  expect(failing(name)).toEqual(['healthz: not finished', 'readyz: not finished'])
  clock.advance(1000)
  expect(failing(name)).toEqual([
    'healthz: not finished',
    'readyz: not finished',
    'livez: not finished',
  ])
  await progress.follow('bootstrap-controller', Promise.reject(new Error('why')))
  expect(failing(name)).toEqual(['healthz: why', 'readyz: why', 'livez: why'])
  progress.done('bootstrap-controller')
  expect(failing(name)).toEqual([])
  expect(progress.checks(vocabularies.orch).map((check) => check.name)).not.toContain(
    'poststarthook/rbac/bootstrap-roles',
  )
})

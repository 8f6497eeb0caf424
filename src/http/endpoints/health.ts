import { forbidden } from '../../meta/errors.ts'
import type { ApiResponse, Context, Endpoint, HealthCheck, HealthChecks } from '../context.ts'

const ROOTS = ['healthz', 'livez', 'readyz'] as const

/** `/healthz`, `/livez`, `/readyz` and their individual checks. */
export function healthEndpoints(checks: HealthChecks): [string, Endpoint][] {
  const problemOf = problemsOnce()
  return ROOTS.flatMap((root) => {
    const mine = checks.filter((check) => check.of.includes(root))
    return [
      [`/${root}`, (context: Context) => all({ root, checks: mine, problemOf }, context)] as [
        string,
        Endpoint,
      ],
      ...mine.map((check): [string, Endpoint] => [
        `/${root}/${check.name}`,
        (context) => single(check, problemOf, context),
      ]),
    ]
  })
}

const HEADERS = ['content-type', 'text/plain; charset=utf-8', 'x-content-type-options', 'nosniff']
const text = (status: number, body: string): ApiResponse => ({
  status,
  headers: [...HEADERS],
  body,
})

/** Why a check fails; null when it succeeds. */
type ProblemOf = (check: HealthCheck, context: Context) => Promise<string | null>

/** A failure of a check that is no fault: something that starts is not finished, or ends on purpose. It is not logged. */
export class ExpectedFailure extends Error {
  override readonly name = 'ExpectedFailure'
}

/** Runs checks, and logs when one fails, fails for another reason, or succeeds again. */
function problemsOnce(): ProblemOf {
  const logged = new Map<string, string>()
  return async (check, context) => {
    const { log } = context.server
    const { name } = check
    try {
      await check.check()
      if (logged.delete(name)) log.warn('a health check succeeds again', { check: name })
      return null
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (!(error instanceof ExpectedFailure) && logged.get(name) !== problem) {
        logged.set(name, problem)
        log.warn('a health check failed', { check: name, error: problem })
      }
      return problem
    }
  }
}

/** An aggregate of checks. */
interface Sum {
  readonly root: string
  readonly checks: readonly HealthCheck[]
  readonly problemOf: ProblemOf
}

async function all({ root, checks, problemOf }: Sum, context: Context): Promise<ApiResponse> {
  const excluded = new Set(context.query.get('exclude') ?? [])
  // In parallel: checks that wait for the same dependency time out together.
  const results = await Promise.all(
    checks.map(async (check) => {
      if (excluded.has(check.name)) return { line: `[+]${check.name} excluded: ok`, ok: true }
      const ok = (await problemOf(check, context)) === null
      return {
        line: ok ? `[+]${check.name} ok` : `[-]${check.name} failed: reason withheld`,
        ok,
      }
    }),
  )
  const lines = results.map(({ line }) => line)
  const failed = results.some(({ ok }) => !ok)
  for (const { name } of checks) excluded.delete(name)
  if (excluded.size > 0) {
    const names = [...excluded].map((name) => JSON.stringify(name)).join(', ')
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`)
  }
  if (failed) return text(500, `${lines.join('\n')}\n${root} check failed\n`)
  if (!context.query.has('verbose')) return text(200, 'ok')
  return text(200, `${lines.join('\n')}\n${root} check passed\n`)
}

async function single(
  check: HealthCheck,
  problemOf: ProblemOf,
  context: Context,
): Promise<ApiResponse> {
  // Anonymous users may only read the aggregates.
  if (context.user.groups.includes('system:unauthenticated')) {
    throw forbidden(null, '', `User "${context.user.name}" cannot get path "${context.path}"`)
  }
  const problem = await problemOf(check, context)
  return problem === null ? text(200, 'ok') : text(500, `internal server error: ${problem}\n`)
}

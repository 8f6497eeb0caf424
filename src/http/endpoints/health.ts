import { forbidden } from '../../schema/errors.ts'
import type { Answer, Context, Endpoint, HealthCheck, HealthChecks } from '../context.ts'

const ROOTS = ['healthz', 'livez', 'readyz'] as const

/** `/healthz`, `/livez`, `/readyz` and their single checks (seed 1, Health endpoints). */
export function healthEndpoints(checks: HealthChecks): [string, Endpoint][] {
  return ROOTS.flatMap((root) => {
    const mine = checks.filter((check) => check.of.includes(root))
    return [
      [`/${root}`, (context: Context) => all(root, mine, context)] as [string, Endpoint],
      ...mine.map((check): [string, Endpoint] => [
        `/${root}/${check.name}`,
        (context) => single(check, context),
      ]),
    ]
  })
}

const HEADERS = ['content-type', 'text/plain; charset=utf-8', 'x-content-type-options', 'nosniff']
const text = (status: number, body: string): Answer => ({ status, headers: [...HEADERS], body })

function passes(check: HealthCheck, context: Context): string | null {
  try {
    check.check()
    return null
  } catch (error) {
    context.server.onError(error, context)
    return error instanceof Error ? error.message : String(error)
  }
}

function all(root: string, checks: readonly HealthCheck[], context: Context): Answer {
  const excluded = new Set(context.query.get('exclude') ?? [])
  const lines: string[] = []
  let failed = false
  for (const check of checks) {
    if (excluded.delete(check.name)) lines.push(`[+]${check.name} excluded: ok`)
    else if (passes(check, context) === null) lines.push(`[+]${check.name} ok`)
    else {
      failed = true
      lines.push(`[-]${check.name} failed: reason withheld`)
    }
  }
  if (excluded.size > 0) {
    const names = [...excluded].map((name) => JSON.stringify(name)).join(', ')
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`)
  }
  if (failed) return text(500, `${lines.join('\n')}\n${root} check failed\n`)
  if (!context.query.has('verbose')) return text(200, 'ok')
  return text(200, `${lines.join('\n')}\n${root} check passed\n`)
}

function single(check: HealthCheck, context: Context): Answer {
  // Only the sums are for everybody.
  if (context.user.groups.includes('system:unauthenticated')) {
    throw forbidden(null, '', `User "${context.user.name}" cannot get path "${context.path}"`)
  }
  const problem = passes(check, context)
  return problem === null ? text(200, 'ok') : text(500, `internal server error: ${problem}\n`)
}

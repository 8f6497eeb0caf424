/** What every answer must be, whatever was asked. */
import { contentOf, statusOf, type FuzzAnswer } from './answer.ts'
import { excuseOf, readable } from './excuses.ts'
import type { Problem } from './findings.ts'
import type { Outcome } from './http1.ts'
import { mayWrite } from './identities.ts'
import type { FuzzRequest } from './request.ts'

const PANIC = 'caused apiserver to panic'
/** A message may repeat a target of 16 KiB, each of its characters as an entity of five. */
const MOST_TEXT = 200_000
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Sends one more request as the one who sent the first. */
type Ask = (request: FuzzRequest) => Promise<Outcome>

/** What is wrong with what came of a request. */
export async function judge(request: FuzzRequest, outcome: Outcome, ask: Ask): Promise<Problem[]> {
  const problems: Problem[] = []
  if (outcome.fault !== null) problems.push({ is: 'connection', message: outcome.fault })
  const { answer } = outcome
  if (!request.isOpen && outcome.ended !== 'answered') {
    const how = outcome.ended === 'waited' ? 'was not answered in time' : 'was cut off'
    problems.push({ is: 'silence', message: `a request ${how}` })
  }
  if (answer) {
    problems.push(...errorsOf(request, answer, await inFull(request, answer, ask)))
    problems.push(...problemsOf(request, answer))
  }
  return problems
}

/** The answer with its words, which one to HEAD lacks: where an error has no excuse without them, that of the same GET. */
async function inFull(request: FuzzRequest, answer: FuzzAnswer, ask: Ask): Promise<FuzzAnswer> {
  const { status } = answer
  if (request.method !== 'HEAD' || status < 500 || excuseOf(request, status, '') !== null)
    return answer
  const get = asGet(request)
  const outcome = get && (await ask(get).catch(() => null))
  return outcome?.answer ?? answer
}

function asGet(request: FuzzRequest): FuzzRequest | null {
  const { raw } = request
  if (raw === null) return { ...request, method: 'GET' }
  if (raw.toString('latin1', 0, 5) !== 'HEAD ') return null
  return {
    ...request,
    method: 'GET',
    raw: Buffer.concat([Buffer.from('GET '), raw.subarray(5)]),
  }
}

function* errorsOf(
  request: FuzzRequest,
  { status }: FuzzAnswer,
  answer: FuzzAnswer,
): Iterable<Problem> {
  if (answer.body.includes(PANIC)) yield { is: 'panic', message: 'the answer of a panic' }
  const text = answer.body.toString('latin1', 0, MOST_TEXT)
  const message = statusOf(contentOf(answer))?.message ?? text
  if (answer.status !== status)
    yield { is: 'error', message: `${status} to HEAD, ${answer.status} to GET` }
  else if (status >= 500 && excuseOf(request, status, message) === null)
    yield { is: 'error', message: `${status} ${message.slice(0, 2000)}` }
}

function* problemsOf(request: FuzzRequest, answer: FuzzAnswer): Iterable<Problem> {
  const { status } = answer
  // What is behind a proxy says what it likes.
  if (/\/proxy\b/i.test(readable(request.target))) return
  yield* formOf(request, answer)
  if (
    request.raw === null &&
    WRITES.has(request.method) &&
    status < 300 &&
    !mayWrite(request.identity) &&
    !/selfsubject\w+reviews/i.test(request.target)
  )
    yield { is: 'permission', message: `${request.identity} was answered ${status}` }
}

function* formOf(request: FuzzRequest, answer: FuzzAnswer): Iterable<Problem> {
  const { status } = answer
  if (request.method === 'HEAD' || answer.body.length === 0) return
  const content = contentOf(answer)
  if (content.form === 'wrong') return yield { is: 'unreadable', message: content.why }
  const told = statusOf(content)
  // Success says no code; the binary form has no way to say none but 0.
  const saysCode = told !== null && (told.status === 'Failure' || (told.code ?? 0) !== 0)
  if (saysCode && told.code !== status)
    yield { is: 'status', message: `code ${told.code} in an answer of ${status}` }
  if (told === null && status >= 400 && content.form !== 'other' && content.form !== 'events')
    yield { is: 'status', message: `an answer of ${status} that is no status` }
}

/** What is wrong with lines of a log. */
export function judgeLog(lines: readonly string[]): Problem[] {
  return lines.flatMap((line): Problem[] => {
    if (line.trim() === '') return []
    let entry: { level?: string }
    try {
      entry = JSON.parse(line) as typeof entry
    } catch {
      return [{ is: 'log', message: line }]
    }
    const hasStack = /\\n\s+at |UnhandledPromise|unhandledRejection/.test(line)
    return entry.level === 'error' || hasStack ? [{ is: 'log', message: line }] : []
  })
}

/** More than this is not explained by caches that are bounded. */
export const MOST_GROWTH = 48 << 20

/** Whether memory grew: bytes in use once warm, and at the end, with nothing stored that was not there before. */
export function judgeMemory(warm: number, end: number, most = MOST_GROWTH): Problem[] {
  if (end - warm <= most) return []
  const mb = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`
  return [{ is: 'memory', message: `${mb(warm)} became ${mb(end)}` }]
}

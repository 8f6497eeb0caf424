/** What a run came to, as lines for a terminal. */
import type { Finding } from './findings.ts'
import { written, type FuzzRequest } from './request.ts'
import type { Figures } from './run.ts'

const MOST = 4000

/** One line of figures. */
export function lineOf(figures: Figures): string {
  const { name, seed, requests, perSecond, written: taken, roundTrips, memory, findings } = figures
  const [warm, end] = memory
  return (
    `${name}: seed ${seed}, ${requests} requests (${perSecond}/s), ${taken} writes taken, ` +
    `${roundTrips} read back, ${figures.witnesses} witnesses, memory ${warm} to ${end} MB, ` +
    `longest turn ${figures.longestTurnMs} ms, ${findings.length} findings`
  )
}

/** How often each status was answered. */
export const statusesOf = ({ statuses }: Figures): string =>
  [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status === 0 ? 'none' : status}: ${count}`)
    .join(', ')

/** A finding with what is needed to see it again. */
export function findingText({ is, message, request, before, count }: Finding): string {
  const lines = [`${is}, ${count} times: ${message.slice(0, MOST)}`]
  if (request) {
    lines.push(
      `  ${request.method} ${request.target.slice(0, 300)} (${request.protocol}, ${request.identity}; ${request.how})`,
    )
    const { body } = request
    if (body) lines.push(`  body: ${body.toString('latin1', 0, 600)}`)
    const text = written(request)
    lines.push(
      text.length > 40_000
        ? '  too long to be shown'
        : `  FUZZ_REPLAY='${text.replaceAll("'", "'\\''")}'`,
    )
  }
  const earlier = request && before !== null ? beforeOf(request, before) : null
  if (earlier !== null) lines.push(`  FUZZ_BEFORE='${earlier}'`)
  return lines.join('\n')
}

/** The object that stood there, as a replay makes it first: its collection, and its JSON in base64. Null when that is not known. */
export function beforeOf({ target }: FuzzRequest, before: string): string | null {
  const object = JSON.parse(before) as { metadata?: Record<string, unknown> }
  const { uid: _uid, resourceVersion: _version, ...metadata } = object.metadata ?? {}
  const name = metadata['name']
  const parts = target.split('?')[0]!.split('/')
  const at = typeof name === 'string' ? parts.lastIndexOf(encodeURIComponent(name)) : -1
  if (at < 0) return null
  const bytes = Buffer.from(JSON.stringify({ ...object, metadata }))
  return `${parts.slice(0, at).join('/')} ${bytes.toString('base64')}`
}

import { badRequest } from '../meta/errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Where a chunked list continues: the revision of its first page and the first key not sent. */
export interface ContinueToken {
  /** -1: at the latest revision, after the revision of the first page was compacted. */
  readonly revision: number
  /** Key, without the prefix of the listed collection. */
  readonly start: string
}

/** The opaque text of a token. */
export function encodeContinue({ revision, start }: ContinueToken, v: Vocabulary): string {
  const token = { v: v.resolve('meta{api}/v1'), rv: revision, start }
  return Buffer.from(JSON.stringify(token)).toString('base64url')
}

/** Reads a token that a client sent. Throws 400. */
export function decodeContinue(text: string, v: Vocabulary): ContinueToken {
  const version = v.resolve('meta{api}/v1')
  const fail = (why: string) => badRequest(`invalid continue token: ${why}`)
  let token: unknown
  try {
    if (!/^[A-Za-z0-9_-]*={0,2}$/.test(text)) throw new Error('illegal base64 data')
    token = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch (error) {
    throw fail(
      `continue key is not valid: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  if (typeof token !== 'object' || token === null) throw fail('continue key is not valid')
  const { v: form, rv, start } = token as { v?: unknown; rv?: unknown; start?: unknown }
  if (form !== version) {
    throw fail(
      `continue key is not valid: server does not recognize this encoded version ${JSON.stringify(form ?? '')}`,
    )
  }
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0 || rv < -1) {
    throw fail(
      `continue key is not valid: incorrect encoded start resourceVersion (version ${version})`,
    )
  }
  if (typeof start !== 'string' || start === '') {
    throw fail(`continue key is not valid: encoded start key empty (version ${version})`)
  }
  // The key must not escape the listed collection.
  if (start.startsWith('/') || start.split('/').some((step) => step === '..' || step === '.')) {
    throw fail(`continue key is not valid: ${start}`)
  }
  return { revision: rv, start }
}

import type { Status, StatusError } from '../meta/errors.ts'
import { binaryAnswer, jsonLine, yamlAnswer } from './response.ts'
import type { Answer, Context } from './context.ts'
import type { HeaderList } from './exchange.ts'
import { failureForm, type Form } from './form.ts'

/** The response to a failure, in the requested form if possible. */
export function failureAnswer(context: Context, error: StatusError): Answer | Promise<Answer> {
  const form = failureForm(context)
  switch (form.type) {
    case 'application/json':
      return jsonFailure(error, form)
    case 'application/yaml':
      return yamlFailure(error)
    case 'protobuf':
      return binaryFailure(context, error, form)
  }
}

/** The same as JSON regardless of the requested form, which works synchronously. */
export const jsonFailureAnswer = (context: Context, error: StatusError): Answer =>
  jsonFailure(error, failureForm(context))

function jsonFailure(error: StatusError, { pretty }: Form): Answer {
  const status = error.toStatus()
  const body = pretty ? JSON.stringify(status, null, 2) : jsonLine(status)
  const headers = [...headersOf(status), 'content-type', 'application/json']
  return { status: error.code, headers, body }
}

async function yamlFailure(error: StatusError): Promise<Answer> {
  const status = error.toStatus()
  const answer = await yamlAnswer(error.code, Buffer.from(JSON.stringify(status)))
  return { ...answer, headers: [...headersOf(status), ...answer.headers] }
}

async function binaryFailure(
  context: Context,
  error: StatusError,
  { mediaType }: Form,
): Promise<Answer> {
  const { documentMessage } = await import('./protobuf.ts')
  const { Status: document } = await import('../kinds/meta/documents.ts')
  const status = error.toStatus()
  const json = Buffer.from(JSON.stringify(status))
  const body = documentMessage(context.server.api, document.shape, json)
  const answer = binaryAnswer(context, { status: error.code, mediaType }, body)
  return { ...answer, headers: [...headersOf(status), ...answer.headers] }
}

/** Headers of a failure. */
function headersOf({ code, details }: Status): HeaderList {
  const headers: HeaderList = []
  const retry = details?.retryAfterSeconds
  if (retry !== undefined && retry > 0) headers.push('retry-after', String(retry))
  if (code === 401) headers.push('www-authenticate', 'Bearer')
  if (code === 403) headers.push('x-content-type-options', 'nosniff')
  return headers
}

import type { Status, StatusError } from '../meta/errors.ts'
import { binaryResponse, jsonLine, yamlAnswer as yamlResponse } from './response.ts'
import type { ApiResponse, Context } from './context.ts'
import type { HeaderList } from './exchange.ts'
import { failureForm, type Form } from './form.ts'

/** The response to a failure, in the requested form if possible. */
export function failureResponse(
  context: Context,
  error: StatusError,
): ApiResponse | Promise<ApiResponse> {
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
export const jsonFailureResponse = (context: Context, error: StatusError): ApiResponse =>
  jsonFailure(error, failureForm(context))

function jsonFailure(error: StatusError, { pretty }: Form): ApiResponse {
  const status = error.toStatus()
  const body = pretty ? JSON.stringify(status, null, 2) : jsonLine(status)
  const headers = [...headersOf(status), 'content-type', 'application/json']
  return { status: error.code, headers, body }
}

async function yamlFailure(error: StatusError): Promise<ApiResponse> {
  const status = error.toStatus()
  const response = await yamlResponse(error.code, Buffer.from(JSON.stringify(status)))
  return { ...response, headers: [...headersOf(status), ...response.headers] }
}

async function binaryFailure(
  context: Context,
  error: StatusError,
  { mediaType }: Form,
): Promise<ApiResponse> {
  const { documentMessage } = await import('./protobuf.ts')
  const { Status: document } = await import('../kinds/meta/documents.ts')
  const status = error.toStatus()
  const json = Buffer.from(JSON.stringify(status))
  const body = documentMessage(context.server.api, document.shape, json)
  const answer = binaryResponse(context, { status: error.code, mediaType }, [body])
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

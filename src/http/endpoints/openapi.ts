import type { OpenApiResponse, OpenApiEndpoints, OpenApiRequest } from '../../openapi/endpoints.ts'
import type { MergedEndpoints } from '../../openapi/merged-endpoints.ts'
import { first } from '../../registry/context.ts'
import type { ApiResponse, Context, Endpoint } from '../context.ts'
import { pacedBody, takesGzip } from '../long-body.ts'
import { pageNotFound } from '../plain-text.ts'
import { groupVersionResponse } from '../remote-apis.ts'

const ROOT = '/openapi/v3'

/** The published OpenAPI documents. */
export const openApiPaths = (documents: OpenApiEndpoints): [string, Endpoint][] => [
  ['/openapi/v2', async (context) => response(context, await documents.v2(request(context)))],
  [ROOT, async (context) => response(context, await documents.v3Index(request(context)))],
]

/** The documents of individual group versions, linked from the index. */
export const openApiDocuments = (documents: MergedEndpoints): [string, Endpoint][] => [
  [
    `${ROOT}/`,
    async (context) => {
      const hash = first(context.query, 'hash') ?? null
      const path = context.path.slice(ROOT.length + 1)
      const elsewhere = documents.isElsewhere(path) ? serverResponse(context, path) : null
      if (elsewhere) return elsewhere
      return response(context, await documents.v3(path, hash, request(context)))
    },
  ],
]

/** The document of the server of a group version; null when that is this one by now. */
function serverResponse(context: Context, path: string): Promise<ApiResponse> | null {
  const [root, ...names] = path.split('/')
  const [group, version] = root === 'api' ? ['', names[0]] : names
  return groupVersionResponse(context, group ?? '', version ?? '')
}

function request(context: Context): OpenApiRequest {
  const { accept, 'if-none-match': ifNoneMatch } = context.exchange.headers
  return { accept, ifNoneMatch, gzip: takesGzip(context) }
}

function response(context: Context, { status, headers, body }: OpenApiResponse): ApiResponse {
  if (status === 404) return pageNotFound()
  // Documents whose URL contains the hash of their content may be cached.
  if (headers.includes('cache-control')) dropHeader(context.headers, 'cache-control')
  const length = ['content-length', String(body.length)]
  const paced = pacedBody(body)
  return { status, headers: paced === body ? [...headers] : [...headers, ...length], body: paced }
}

function dropHeader(headers: string[], name: string): void {
  const at = headers.indexOf(name)
  if (at !== -1) headers.splice(at, 2)
}

/** Paths whose responses are no API objects: the keys of service account tokens, and log files. */
import type { Operation, PathItem, Response } from './document.ts'
import { pathParameter } from './parameters.ts'

const TEXT: Response = { code: '200', description: 'OK', schema: { type: 'string' } }
const UNAUTHORIZED: Response = { code: '401', description: 'Unauthorized' }

const reading = (given: Pick<Operation, 'operationId' | 'tag'> & Partial<Operation>): PathItem => ({
  get: {
    consumes: [],
    produces: [],
    description: '',
    parameters: [],
    responses: [UNAUTHORIZED],
    extensions: {},
    ...given,
  },
})

/** These places by address, with the paths below them. */
export const plainPlaces: readonly {
  readonly path: string
  readonly write: () => Map<string, PathItem>
}[] = [
  {
    path: '.well-known/openid-configuration',
    write: () =>
      new Map([
        [
          '/.well-known/openid-configuration/',
          reading({
            description: 'read the discovery document of the issuer of service account tokens',
            operationId: 'getServiceAccountIssuerOpenIDConfiguration',
            produces: ['application/json'],
            responses: [TEXT, UNAUTHORIZED],
            tag: 'WellKnown',
          }),
        ],
      ]),
  },
  {
    path: 'openid/v1/jwks',
    write: () =>
      new Map([
        [
          '/openid/v1/jwks/',
          reading({
            description: 'read the public keys that service account tokens are verified with',
            operationId: 'getServiceAccountIssuerOpenIDKeyset',
            produces: ['application/jwk-set+json'],
            responses: [TEXT, UNAUTHORIZED],
            tag: 'openid',
          }),
        ],
      ]),
  },
  {
    path: 'logs',
    write: () =>
      new Map([
        ['/logs/', reading({ operationId: 'logFileListHandler', tag: 'logs' })],
        [
          '/logs/{logpath}',
          reading({
            operationId: 'logFileHandler',
            parameters: [pathParameter('logpath', 'path to the log')],
            tag: 'logs',
          }),
        ],
      ]),
  },
]

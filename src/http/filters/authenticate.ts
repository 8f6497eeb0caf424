import type { Socket } from 'node:net'
import { ANONYMOUS } from '../../authn/anonymous.ts'
import {
  CredentialError,
  type AuthenticationResult,
  type AuthenticationContext,
} from '../../authn/authenticator.ts'
import { unauthorized } from '../../meta/errors.ts'
import type { Context, Filter } from '../context.ts'

/** Authenticates the request: 401 for an invalid credential. */
export const authenticate: Filter = {
  name: 'authenticate',
  run(context) {
    // The socket may be closed and unset by the time of the response.
    const { socket } = context.exchange
    let result: AuthenticationResult | Promise<AuthenticationResult>
    try {
      result = context.server.authentication.authenticate(
        context.exchange,
        new RequestAuthentication(context),
      )
    } catch (error) {
      throw refused(context, error)
    }
    if (!(result instanceof Promise)) return accept(context, result, socket)
    return result.then(
      (found) => accept(context, found, socket),
      (error: unknown) => {
        throw refused(context, error)
      },
    )
  },
}

const THE_SERVERS: readonly string[] = []

/** What authenticators tell a request. Methods, since most of them tell nothing. */
class RequestAuthentication implements AuthenticationContext {
  readonly audiences = THE_SERVERS
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  annotate(key: string, value: string): void {
    this.#context.annotate(key, value)
  }

  warn(text: string): void {
    this.#context.warn(text)
  }
}

function accept(context: Context, found: AuthenticationResult, socket: Socket): void {
  if (!found) {
    if (context.record !== null) context.record.unknownUser = 'failure'
    throw unauthorized()
  }
  context.user = found.user
  if (found.user.name !== ANONYMOUS) context.server.connections.know(socket)
  context.server.authentication.removeCredentials(context.exchange)
  if (context.record !== null) context.server.stages?.authenticated(context.record)
}

/** Why a credential is invalid is logged only, not returned. */
function refused(context: Context, error: unknown): unknown {
  if (context.record !== null) context.record.unknownUser = 'error'
  if (!(error instanceof CredentialError)) return error
  context.server.log.debug(2, 'Unable to authenticate the request', { error: error.message })
  return unauthorized()
}

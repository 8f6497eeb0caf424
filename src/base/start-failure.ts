import { plainMessage } from './plain-reason.ts'

/** Where a server was to listen. */
interface Place {
  readonly bindAddress?: string
  readonly port?: number
}

/** The error of a failed start for its operator: with the flag that would help, and without the runtime's wording. */
export function startFailure(error: unknown, options: Place): Error {
  const message = reasonOf(error, options)
  return error instanceof Error && error.message === message
    ? error
    : new Error(message, { cause: error })
}

function reasonOf(error: unknown, { bindAddress = '127.0.0.1', port = 0 }: Place): string {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  const address = `${bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress}:${port}`
  if (code === 'EADDRINUSE') {
    return `address ${address} is in use; choose another port with --secure-port`
  }
  if (code === 'EADDRNOTAVAIL') {
    return `address ${bindAddress} is not one of this machine; choose another with --bind-address`
  }
  if (code === 'EACCES' && syscall === 'listen') {
    return `not allowed to listen on ${address}; choose a port above 1023 with --secure-port`
  }
  return plainMessage(error)
}

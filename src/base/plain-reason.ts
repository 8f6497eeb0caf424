/** Why something failed, in words for people: the runtime's own name its calls, its sources and its libraries. */

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EEXIST', 'it is there already'],
  ['ELOOP', 'its links lead back to themselves'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space is left on the disk'],
  ['EDQUOT', 'no space is left of what the user may have'],
  ['EIO', 'the disk cannot be read or written'],
  ['EMFILE', 'too many files are open'],
  ['ENFILE', 'too many files are open on this machine'],
  ['ECONNREFUSED', 'nobody listens there'],
  ['ECONNRESET', 'the connection was broken off'],
  ['ETIMEDOUT', 'there was no answer in time'],
  ['EHOSTUNREACH', 'the machine cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ENOTFOUND', 'the name is not known'],
  ['EAI_AGAIN', 'the name cannot be looked up now'],
])

/** The reason of an error without what only its runtime knows; the message of errors that are ours. */
export function plainReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, syscall } = error as NodeJS.ErrnoException
  const known = typeof code === 'string' ? REASONS.get(code) : undefined
  if (known !== undefined) return known
  if (isCryptographic(error)) return 'no certificate or key that can be read'
  if (typeof code === 'string' && syscall !== undefined) return `the system refuses it (${code})`
  return error.message.replaceAll('\n', ' ')
}

/** The same behind the path that it is about, for errors without a sentence of their own. */
export function plainMessage(error: unknown): string {
  const { syscall, path } = (error ?? {}) as NodeJS.ErrnoException
  const where = syscall !== undefined && path !== undefined ? `${path}: ` : ''
  return where + plainReason(error)
}

const isCryptographic = (error: Error) =>
  /^error:[0-9A-F]{8}:/.test(error.message) ||
  String((error as NodeJS.ErrnoException).code).startsWith('ERR_OSSL_')

/** Does work on the value of a flag. An error names the flag, and the cause in plain words. */
export async function forFlag<T>(flag: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw flagFailure(flag, error)
  }
}

/** The same for work that is done at once. */
export function forFlagSync<T>(flag: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw flagFailure(flag, error)
  }
}

const flagFailure = (flag: string, cause: unknown) =>
  new Error(`--${flag}: ${plainReason(cause)}`, { cause })

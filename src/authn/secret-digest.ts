import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Makes keys for maps of secrets. Each maker has random bytes of its own in front, so that the duration of a look-up
 * reveals nothing about how much of a guess was right. The keys never leave the process.
 */
export function secretKeys(): (secret: string) => string {
  const salt = randomBytes(32).toString('hex')
  return (secret) => hash('sha256', salt + secret, 'base64')
}

/** Whether two secrets are the same, in a time that depends on neither's content. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))

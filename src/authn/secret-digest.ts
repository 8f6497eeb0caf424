import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Makes keys for maps of secrets. Each maker has a random key, so that how long a look-up takes tells nothing about
 * how much of a guess was right.
 */
export function secretKeys(): (secret: string) => string {
  const key = randomBytes(32)
  return (secret) => createHmac('sha256', key).update(secret).digest('base64')
}

/** Whether two secrets are the same, in a time that depends on neither's content. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())

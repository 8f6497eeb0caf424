import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Makes keys for maps of secrets. Each maker has random bytes of its own in front, so that the duration of a look-up
 * reveals nothing about how much of a guess was right. The keys never leave the process.
 */
export function secretKeys(): (secret: string) => string {
  const salt = randomBytes(32).toString('hex')
  let memory: Buffer | null = null
  return (secret) => {
    if (3 * secret.length > ROOM) return hash('sha256', salt + secret, 'base64')
    if (memory === null) {
      memory = Buffer.alloc(salt.length + ROOM)
      memory.write(salt)
    }
    // Memory that is there costs less than a text of both; it keeps nothing of a secret.
    const end = salt.length + memory.write(secret, salt.length)
    const key = hash('sha256', memory.subarray(0, end), 'base64')
    memory.fill(0, salt.length, end)
    return key
  }
}

/** Bytes of secrets for which there is memory. */
const ROOM = 4096

/** Whether two secrets are the same, in a time that depends on neither's content. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))

/** XSalsa20-Poly1305 under a key of 32 bytes and a nonce of 24; `open` throws when the bytes are not genuine. */
export type Secretbox = (
  key: Uint8Array,
  nonce: Uint8Array,
) => { seal(bytes: Uint8Array): Uint8Array; open(sealed: Uint8Array): Uint8Array }

/** Loads the one cipher that the platform lacks; only at first use. */
export async function loadSecretbox(): Promise<Secretbox> {
  const { xsalsa20poly1305 } = await import('@noble/ciphers/salsa.js')
  return (key, nonce) => {
    const cipher = xsalsa20poly1305(key, nonce)
    return { seal: (bytes) => cipher.encrypt(bytes), open: (sealed) => cipher.decrypt(sealed) }
  }
}

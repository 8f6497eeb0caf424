import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto'
import type { KeyedKind } from './config.ts'
import type { Secretbox } from './secretbox-library.ts'

/** Makes random bytes; injected so that tests can foresee them. */
export type RandomBytes = (bytes: number) => Uint8Array

/** Default source of random bytes. */
export const systemRandom: RandomBytes = randomBytes

/** Data that cannot be decrypted; the reason has nothing of the data in it. */
export class Unreadable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Unreadable'
  }
}

/** Encrypts under one key. */
export interface Cipher {
  /** `about` identifies the owner of the bytes; an authenticated cipher makes them unreadable elsewhere. */
  seal(bytes: Uint8Array, about: string): Uint8Array[]
  /** Throws Unreadable. */
  open(sealed: Uint8Array, about: string): Uint8Array
}

export interface CipherTools {
  readonly random: RandomBytes
  /** There when a provider is of that kind. */
  readonly secretbox: Secretbox | null
}

const CBC_IV = 16
const BLOCK = 16
const GCM_NONCE = 12
const TAG = 16
const BOX_NONCE = 24

const unauthenticated = () => new Unreadable('cipher: message authentication failed')
const tooShort = () => new Unreadable('the stored data was shorter than the required size')

/** The cipher of a kind of provider. */
export function cipherOf(kind: KeyedKind, secret: KeyObject, tools: CipherTools): Cipher {
  if (kind === 'aescbc') return aesCbc(secret, tools.random)
  if (kind === 'aesgcm') return aesGcm(secret, tools.random)
  if (!tools.secretbox) throw new Error('the secretbox cipher was not loaded')
  return box(secret, tools.random, tools.secretbox)
}

const bitsOf = (secret: KeyObject) => (secret.symmetricKeySize ?? 0) * 8

function aesCbc(secret: KeyObject, random: RandomBytes): Cipher {
  const name = `aes-${bitsOf(secret)}-cbc`
  return {
    seal(bytes) {
      const iv = random(CBC_IV)
      const cipher = createCipheriv(name, secret, iv)
      return [iv, cipher.update(bytes), cipher.final()]
    },
    open(sealed) {
      if (sealed.length < CBC_IV + BLOCK) throw tooShort()
      const cipher = createDecipheriv(name, secret, sealed.subarray(0, CBC_IV))
      try {
        return Buffer.concat([cipher.update(sealed.subarray(CBC_IV)), cipher.final()])
      } catch {
        throw new Unreadable('invalid padding on input')
      }
    },
  }
}

function aesGcm(secret: KeyObject, random: RandomBytes): Cipher {
  const name = `aes-${bitsOf(secret)}-gcm` as 'aes-256-gcm'
  const options = { authTagLength: TAG }
  return {
    seal(bytes, about) {
      const nonce = random(GCM_NONCE)
      const cipher = createCipheriv(name, secret, nonce, options).setAAD(Buffer.from(about))
      const body = cipher.update(bytes)
      return [nonce, body, cipher.final(), cipher.getAuthTag()]
    },
    open(sealed, about) {
      if (sealed.length < GCM_NONCE + TAG) throw tooShort()
      const end = sealed.length - TAG
      const cipher = createDecipheriv(name, secret, sealed.subarray(0, GCM_NONCE), options)
        .setAAD(Buffer.from(about))
        .setAuthTag(sealed.subarray(end))
      try {
        return Buffer.concat([cipher.update(sealed.subarray(GCM_NONCE, end)), cipher.final()])
      } catch {
        throw unauthenticated()
      }
    },
  }
}

function box(secret: KeyObject, random: RandomBytes, secretbox: Secretbox): Cipher {
  const key = Uint8Array.from(secret.export())
  return {
    seal(bytes) {
      const nonce = Uint8Array.from(random(BOX_NONCE))
      return [nonce, secretbox(key, nonce).seal(bytes)]
    },
    open(sealed) {
      if (sealed.length < BOX_NONCE + TAG) throw tooShort()
      const nonce = Uint8Array.from(sealed.subarray(0, BOX_NONCE))
      try {
        return secretbox(key, nonce).open(Uint8Array.from(sealed.subarray(BOX_NONCE)))
      } catch {
        throw unauthenticated()
      }
    },
  }
}

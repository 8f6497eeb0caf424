/** Files of a certificate and its key, and the names that they are for. */
export interface SniPair {
  readonly certFile: string
  readonly keyFile: string
  readonly names: readonly string[]
}

/** A name, or one with a wildcard in the place of its first label. */
const NAME =
  /^(\*\.)?[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?)*$/

/** Reads `certificate,key` and `certificate,key:name,name`; null when it is neither. */
export function parseSniPair(text: string): SniPair | null {
  const colon = text.lastIndexOf(':')
  const [files, names] =
    colon === -1 ? [text, []] : [text.slice(0, colon), text.slice(colon + 1).split(',')]
  const [certFile = '', keyFile = '', ...more] = files.split(',')
  if (certFile === '' || keyFile === '' || more.length > 0) return null
  return names.every((name) => NAME.test(name)) ? { certFile, keyFile, names } : null
}

/** Subject of a certificate: the user name and, where there is one, the group. */
export interface Subject {
  readonly commonName: string
  readonly organization?: string
}

/** A certificate with its key, PEM. */
export interface Issued {
  readonly cert: string
  readonly key: string
}

import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Configuration of a client that speaks to one server with a certificate; PEM in, YAML out. */
export function adminKubeconfig(options: {
  readonly server: string
  readonly ca: string
  readonly cert: string
  readonly key: string
  readonly vocabulary: Vocabulary
}): string {
  const name = options.vocabulary.words.brand
  const user = `${name}-admin`
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return `apiVersion: v1
kind: Config
clusters:
- name: ${name}
  cluster:
    server: ${options.server}
    certificate-authority-data: ${base64(options.ca)}
users:
- name: ${user}
  user:
    client-certificate-data: ${base64(options.cert)}
    client-key-data: ${base64(options.key)}
contexts:
- name: ${user}@${name}
  context:
    cluster: ${name}
    user: ${user}
current-context: ${user}@${name}
`
}

/** Client certificates of this server, checked before the first connection. */
import { certificatesProblem, checkKeyPair } from '../../pki/pem-check.ts'
import type { ServerOptions } from './server-options.ts'

/** PEM. */
interface Tls {
  readonly ca?: string | Buffer
  readonly cert?: string | Buffer
  readonly key?: string | Buffer
}

const AGENTS = {
  ca: '--nodeagent-certificate-authority',
  cert: '--nodeagent-client-certificate',
  key: '--nodeagent-client-key',
}
const ETCD = { ca: '--etcd-cafile', cert: '--etcd-certfile', key: '--etcd-keyfile' }

/** Throws an Error that names the flag. */
export function checkTlsOptions({ agentTls, etcd, rootCa }: ServerOptions): void {
  const problem = rootCa === undefined ? null : certificatesProblem(rootCa)
  if (problem !== null) throw new Error(`--root-ca-file ${problem}`)
  if (agentTls) check(agentTls, AGENTS)
  if (etcd) check(etcd, ETCD)
}

function check({ ca, cert, key }: Tls, flags: typeof AGENTS): void {
  if ((cert === undefined) !== (key === undefined))
    throw new Error(`${flags.cert} and ${flags.key} must be given together`)
  const problem = ca === undefined ? null : certificatesProblem(String(ca))
  if (problem !== null) throw new Error(`${flags.ca} ${problem}`)
  if (cert !== undefined && key !== undefined)
    checkKeyPair({ cert: String(cert), key: String(key) }, flags)
}

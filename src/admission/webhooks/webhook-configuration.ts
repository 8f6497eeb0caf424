import { isAbsolute } from 'node:path'
import { isRecord } from '../../base/value-checks.ts'
import type { HostCredentials } from '../../client/host-credentials.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** Forms of the configuration: kind by version. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['v1', 'WebhookAdmissionConfiguration'],
  ['v1alpha1', 'WebhookAdmission'],
])

/** Reads the configuration of the webhook plugins and the file that it names. Throws an Error that states the fault. */
export async function readWebhookConfiguration(
  document: unknown,
  v: Vocabulary,
): Promise<{ readonly credentials: HostCredentials | null }> {
  const given = isRecord(document) ? document : {}
  const { kind, apiVersion, kubeConfigFile = '', ...others } = given
  const [other] = Object.keys(others)
  const wanted = [...KINDS].map(([version, name]) => ({
    kind: name,
    apiVersion: v.resolve(`apiserver.config{api}/${version}`),
  }))
  if (!wanted.some((one) => one.kind === kind && one.apiVersion === apiVersion)) {
    const known = wanted.map((one) => `${one.kind} of apiVersion ${one.apiVersion}`)
    throw new Error(`expected a ${known.join(' or a ')}`)
  }
  if (other !== undefined) throw new Error(`unknown field ${JSON.stringify(other)}`)
  if (typeof kubeConfigFile !== 'string') throw new Error('kubeConfigFile: must be a string')
  if (!isAbsolute(kubeConfigFile))
    throw new Error(
      `kubeConfigFile: Invalid value: ${JSON.stringify(kubeConfigFile)}: must be an absolute file path`,
    )
  const { loadHostCredentials } = await import('../../client/host-credentials.ts')
  return { credentials: await loadHostCredentials(kubeConfigFile) }
}

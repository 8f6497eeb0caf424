import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readFile } from '../base/files.ts'
import { vocabularies } from '../vocabulary/index.ts'
import type { ClientConfig } from './client-config.ts'

/** Sources of the configuration; by default the environment of this process and the folder of secrets. */
export interface InClusterPlaces {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Folder below which pods find their credentials. */
  readonly secrets?: string
}

/**
 * The configuration of a program that runs in a pod: the server that its environment names, and the token that is
 * mounted into it, which is read anew when it changes. Rejects with an Error when this is no pod.
 */
export async function inClusterConfig({
  env = process.env,
  secrets = '/var/run/secrets',
}: InClusterPlaces = {}): Promise<ClientConfig> {
  for (const v of Object.values(vocabularies)) {
    const prefix = v.words.brand.toUpperCase().replaceAll('-', '_')
    const host = env[`${prefix}_SERVICE_HOST`] ?? ''
    const port = env[`${prefix}_SERVICE_PORT`] ?? ''
    const folder = join(secrets, v.resolve('{label}'), 'serviceaccount')
    if (host === '' || port === '' || !existsSync(join(folder, 'token'))) continue
    const namespace = join(folder, 'namespace')
    return {
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      ca: await readFile(join(folder, 'ca.crt'), 'utf8'),
      tokenFile: join(folder, 'token'),
      ...(existsSync(namespace) ? { namespace: (await readFile(namespace, 'utf8')).trim() } : {}),
    }
  }
  throw new Error('this is no pod: name a client configuration')
}

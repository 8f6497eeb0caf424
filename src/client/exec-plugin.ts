/** Credentials from a program that the client runs (client-go credential plugins). */
import { spawn } from 'node:child_process'
import { systemClock, type Clock } from '../base/clock.ts'
import { parseTime } from '../base/time.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { checkPair } from './certificate-pair.ts'
import type { ClientConfig, ExecConfig } from './client-config.ts'
import { mapOf, memberOf, textOf, type ConfigMap } from './config-values.ts'

const MAX_OUTPUT_BYTES = 1 << 20
const RUN_MS = 60_000
const TOO_LATE = 'did not end in time'

/** Output of a plugin: a token, a certificate with its key, or both. */
export interface PluginCredential {
  readonly token?: string
  readonly cert?: string
  readonly key?: string
}

/** A program that provides credentials. */
export interface ExecPlugin {
  /** The latest credentials while they are valid, else new ones. Rejects with an Error for the log. */
  credential(): Promise<PluginCredential>
  /** Drops the cached credentials when they are still the token, and the certificate, that was refused. */
  forget(token: string | undefined, cert: string | undefined): void
}

/** Dependencies of a plugin. */
export interface ExecPluginOptions {
  /** With `exec`. */
  readonly config: ClientConfig & { readonly exec: ExecConfig }
  readonly v: Vocabulary
  readonly clock: Clock
  /** Whether standard input is interactive; false by default. */
  readonly interactive?: boolean
}

/** Prepares a plugin; it runs on first use. Throws an Error when its configuration is invalid. */
export function execPlugin(options: ExecPluginOptions): ExecPlugin {
  const { config, v, clock } = options
  const { exec } = config
  const interactive = isInteractive(options)
  const info = formatJson(infoOf(config, v, interactive))
  const env: NodeJS.ProcessEnv = { ...process.env }
  for (const { name, value } of exec.env) env[name] = value
  env[`${v.words.brand.toUpperCase()}_EXEC_INFO`] = info

  let kept: Given | null = null
  let running: Promise<PluginCredential> | null = null
  const ask = async (): Promise<PluginCredential> => {
    const given = readAnswer(await run(exec, env, interactive), exec.apiVersion)
    kept = given
    return given.credential
  }
  return {
    credential() {
      if (kept && clock.now() < kept.untilMs) return Promise.resolve(kept.credential)
      return (running ??= ask().finally(() => (running = null)))
    },
    forget(token, cert) {
      const last = kept?.credential
      if (last && last.token === token && (last.cert === undefined || last.cert === cert)) {
        kept = null
      }
    },
  }
}

function isInteractive({ config: { exec }, v, interactive = false }: ExecPluginOptions): boolean {
  const v1 = v.resolve('client.authentication{api}/v1')
  const v1beta1 = v.resolve('client.authentication{api}/v1beta1')
  if (exec.apiVersion !== v1 && exec.apiVersion !== v1beta1) {
    throw new Error(
      `exec plugin: apiVersion ${JSON.stringify(exec.apiVersion)} is not known; use ${v1} or ${v1beta1}`,
    )
  }
  const mode = exec.interactiveMode ?? (exec.apiVersion === v1 ? null : 'IfAvailable')
  if (mode === null) throw new Error(`exec plugin: interactiveMode is required in ${v1}`)
  if (mode === 'Always' && !interactive) {
    throw new Error(
      'exec plugin: interactiveMode is Always, but the standard input is not a terminal',
    )
  }
  return mode !== 'Never' && interactive
}

/** Input of the plugin, in the order of the published fields. */
function infoOf(config: ClientConfig & { exec: ExecConfig }, v: Vocabulary, interactive: boolean) {
  const { exec, server, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl } = config
  const told = config.clusterExtensions?.get(v.resolve('client.authentication{api}/exec'))
  const cluster = {
    server,
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    ...(insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined
      ? {}
      : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
    config: told ?? null,
  }
  return {
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion,
    spec: { ...(exec.provideClusterInfo ? { cluster } : {}), interactive },
  }
}

function run(
  { command, args, installHint }: ExecConfig,
  env: NodeJS.ProcessEnv,
  interactive: boolean,
): Promise<string> {
  // Errors leave out the output of the program, which may be a credential.
  const failed = (how: string) => new Error(`exec plugin: executable ${command} ${how}`)
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env,
      // Diagnostics of the plugin go to the same stream as ours.
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
      windowsHide: true,
    })
    const chunks: Buffer[] = []
    let size = 0
    const stop = (how: string) => {
      reject(failed(how))
      child.kill('SIGKILL')
    }
    // Interactive plugins have no time limit.
    const cancel = interactive ? () => {} : systemClock.after(RUN_MS, () => stop(TOO_LATE))
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_OUTPUT_BYTES) stop('answers too much')
    })
    child.on('error', (error: NodeJS.ErrnoException) => {
      cancel()
      const hint = installHint === '' ? '' : `\n\n${installHint}`
      const isMissing = error.code === 'ENOENT'
      reject(failed(isMissing ? `not found${hint}` : `cannot be run: ${error.code}`))
    })
    child.on('close', (code, signal) => {
      cancel()
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'))
      else reject(failed(code === null ? `failed: ${signal}` : `failed with exit code ${code}`))
    })
  })
}

interface Given {
  readonly credential: PluginCredential
  readonly untilMs: number
}

function readAnswer(output: string, apiVersion: string): Given {
  const object = parsed(output)
  const got = { kind: memberOf(object, 'kind'), apiVersion: memberOf(object, 'apiVersion') }
  if (got.kind !== 'ExecCredential' || got.apiVersion !== apiVersion) {
    const shown = `${JSON.stringify(got.kind ?? '')} of ${JSON.stringify(got.apiVersion ?? '')}`
    throw new Error(
      `exec plugin: it is configured for "ExecCredential" of ${JSON.stringify(apiVersion)}, but answered ${shown}`,
    )
  }
  const status = memberOf(object, 'status')
  if (status === undefined) throw new Error('exec plugin: the answer has no status')
  const map = mapOf(status, 'exec plugin: status')
  const token = textOf(map, 'token')
  const cert = textOf(map, 'clientCertificateData')
  const key = textOf(map, 'clientKeyData')
  if ((cert === undefined) !== (key === undefined)) {
    throw new Error('exec plugin: the answer has a certificate or a key, but not both')
  }
  if (token === undefined && cert === undefined) {
    throw new Error('exec plugin: the answer has neither a token nor a certificate')
  }
  if (cert !== undefined) checkPair(cert, key!)
  const until = textOf(map, 'expirationTimestamp')
  return {
    credential: {
      ...(token === undefined ? {} : { token }),
      ...(cert === undefined ? {} : { cert, key: key! }),
    },
    untilMs: until === undefined ? Infinity : parseTime(until),
  }
}

function parsed(output: string): ConfigMap {
  let value: unknown
  try {
    value = parseJson(output)
  } catch {
    // The error would quote the output.
    throw new Error('exec plugin: the answer is not JSON')
  }
  return mapOf(value, 'exec plugin: the answer')
}

import { parseDurationMs } from '../../base/duration.ts'
import { lineLog } from '../../base/log.ts'
import type { ServerOptions } from '../../server-options.ts'
import { product } from '../../vocabulary/index.ts'
import type { VocabularyName } from '../../vocabulary/vocabulary.ts'
import { helpText, parseFlags } from '../flags.ts'
import { serverFlags } from './server-flags.ts'

/** Where a command reads and writes; the process outside tests. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Calls back on the first and every later request to end. */
  onSignal(call: () => void): void
  exit(code: number): void
}

/** Runs the server until a signal; resolves when it has ended, with the exit code. */
export async function serverCommand(name: string, args: readonly string[], terminal: Terminal): Promise<number> {
  const values = parseFlags(serverFlags, args)
  if (values.help === 'true') {
    terminal.out(helpText(`${name} [flags]`, 'Serves the cluster API over HTTPS.', serverFlags))
    return 0
  }
  const level = Number(values.v)
  const log = lineLog({
    format: values['logging-format'] === 'json' ? 'json' : 'text',
    level,
    now: Date.now,
    write: (line) => terminal.err(line),
  })
  const dataDir = values['data-dir'] ?? ''
  const options: ServerOptions = {
    dataDir,
    store: values.store === 'memory' ? 'memory' : 'lmdb',
    vocabulary: values.vocabulary as VocabularyName,
    bindAddress: values['bind-address'] ?? '',
    port: Number(values['secure-port']),
    historyMs: parseDurationMs(values['history-window'] ?? ''),
    requestTimeoutMs: parseDurationMs(values['request-timeout'] ?? ''),
    minRequestTimeoutMs: Number(values['min-request-timeout']) * 1000,
    log: level > 0 ? log : { ...log, info: () => {} },
  }
  const { startServer } = await import('../../server.ts')
  let server
  try {
    server = await startServer(options)
  } catch (error) {
    terminal.err(`${name}: ${startError(error, options, level)}\n`)
    return 1
  }
  const config = server.kubeconfigPath ?? ''
  terminal.out(
    `${product.title} is ready at ${server.url} - try: KUBECONFIG=${config} ${product.clientCommand} get namespaces\n`,
  )
  return new Promise((resolve) => {
    let ending = false
    terminal.onSignal(() => {
      if (ending) terminal.exit(1)
      ending = true
      void server.close().then(
        () => resolve(0),
        (error: unknown) => {
          log.error('shutdown failed', { error: String(error) })
          resolve(1)
        },
      )
    })
  })
}

function startError(error: unknown, options: ServerOptions, level: number): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  const address = `${options.bindAddress ?? ''}:${options.port ?? 0}`
  if (code === 'EADDRINUSE') return `address ${address} is in use; choose another with --secure-port`
  if (code === 'EADDRNOTAVAIL') return `address ${address} is not one of this machine; see --bind-address`
  if (code === 'EACCES') return `not allowed: ${error.message}`
  return level >= 4 ? (error.stack ?? error.message) : error.message
}

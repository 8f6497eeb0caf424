/** Tells a service manager such as systemd about the life of the program (docs/decisions/0062-systemd-is-notified-by-its-program.md). */
import { execFile } from 'node:child_process'
import { systemClock, type Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { plainReason } from '../base/plain-reason.ts'

const PROGRAM = 'systemd-notify'
const TIMEOUT_MS = 10_000

/** Notifications to the service manager. */
export interface ServiceManager {
  /** The server is ready; from now on also that it is alive, as often as it wants to hear that. */
  ready(status: string): void
  stopping(): void
  /** Resolves when all notifications were sent or have failed. */
  told(): Promise<void>
}

/** The service manager that started the program; null when none did that wants to know. */
export function serviceManager(
  env: NodeJS.ProcessEnv,
  { log, clock = systemClock }: { readonly log: Log; readonly clock?: Clock },
): ServiceManager | null {
  const { NOTIFY_SOCKET: socket = '', WATCHDOG_USEC, WATCHDOG_PID, PATH } = env
  if (socket === '') return null
  // Programs that this one starts, such as credential plugins, are not the service.
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name]
  let telling: Promise<void> = Promise.resolve()
  let isTold = false
  let isStopping = false
  const tell = (...words: readonly string[]) => {
    telling = telling.then(() => run(words, { NOTIFY_SOCKET: socket, PATH })).catch(complain)
    return telling
  }
  const complain = (error: unknown) => {
    if (!isTold) log.warn('the service manager cannot be notified', { error: plainReason(error) })
    isTold = true
  }
  const isMeant = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid)
  const intervalMs = isMeant ? Number(WATCHDOG_USEC ?? 0) / 1000 : 0
  let isWaiting = false
  const live = () => {
    // Half the time, as the service manager advises.
    clock.after(intervalMs / 2, () => {
      if (isStopping) return
      live()
      // On a busy machine the program may take longer than the interval.
      if (isWaiting) return
      isWaiting = true
      void tell('WATCHDOG=1').then(() => (isWaiting = false))
    })
  }
  return {
    ready(status) {
      void tell('READY=1', `STATUS=${status}`)
      if (intervalMs > 0) live()
    },
    stopping() {
      isStopping = true
      void tell('STOPPING=1', 'STATUS=Shutting down')
    },
    told: () => telling,
  }
}

const run = (words: readonly string[], env: NodeJS.ProcessEnv): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(PROGRAM, [...words], { env, timeout: TIMEOUT_MS }, (error) => {
      if (error) reject(new Error(`${PROGRAM}: ${plainReason(error)}`, { cause: error }))
      else resolve()
    })
  })

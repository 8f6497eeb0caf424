/** A server for the tests of a file, by the hooks of their runner. */
import { startTestServer, TestServer, type TestServerOptions } from './test-server.ts'

type Hook = (work: () => Promise<void>, ...rest: never[]) => unknown

/** The hooks of a runner: those of vitest and jest, or those of `node:test`. */
export type Hooks =
  | { readonly beforeAll: Hook; readonly beforeEach: Hook; readonly afterAll: Hook }
  | { readonly before: Hook; readonly beforeEach: Hook; readonly after: Hook }

/**
 * Starts a server before the tests of a file, resets it before each, and closes it after them. What it returns is the
 * server, for use inside of tests and hooks.
 *
 *     import { afterAll, beforeAll, beforeEach } from 'vitest'
 *     const server = useServer({ beforeAll, beforeEach, afterAll })
 */
export function useServer(hooks: Hooks, options: TestServerOptions = {}): TestServer {
  const { before, after } = hooksOf(hooks)
  let running: TestServer | null = null
  before(async () => {
    running = await startTestServer(options)
  })
  hooks.beforeEach(async () => running?.reset())
  after(async () => {
    await running?.close()
    running = null
  })
  return new Proxy(Object.create(TestServer.prototype) as TestServer, {
    get(_, name) {
      if (running === null) {
        // Runners look at what they print.
        if (typeof name === 'symbol' || name === 'then') return undefined
        throw new Error(`server.${name}: there is no server before the tests, and none after them`)
      }
      const value: unknown = Reflect.get(running, name, running)
      return typeof value === 'function' ? value.bind(running) : value
    },
    has: (_, name) => running !== null && name in running,
  })
}

function hooksOf(hooks: Hooks): { readonly before: Hook; readonly after: Hook } {
  const [before, after] =
    'beforeAll' in hooks ? [hooks.beforeAll, hooks.afterAll] : [hooks.before, hooks.after]
  if (![before, hooks.beforeEach, after].every((hook) => typeof hook === 'function'))
    throw new TypeError(
      'useServer needs the hooks of the runner: { beforeAll, beforeEach, afterAll }, or { before, beforeEach, after } of node:test',
    )
  return { before, after }
}

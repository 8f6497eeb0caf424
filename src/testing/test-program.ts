/** A server under test as a program of its own, for tests in other languages. Loaded by its command. */
import { join } from 'node:path'
import { OWNER_FILE } from '../base/folders.ts'
import { writeFileAtomically } from '../pki/write-file.ts'
import type { RunningServer, ServerOptions } from '../server/options/server-options.ts'
import { serveControl } from './control.ts'
import { launchTestServer } from './test-server.ts'

/** In the data directory: the address of the calls. */
const CONTROL_FILE = 'control.url'

/** Starts a server, and writes the address of the calls of `control.ts` to its data directory before it is ready. */
export async function startForPrograms(options: ServerOptions): Promise<RunningServer> {
  const server = await launchTestServer(options)
  const control = await serveControl(server)
  server.onClose(() => control.close())
  if (options.dataDir !== undefined)
    await writeFileAtomically(join(options.dataDir, CONTROL_FILE), control.url, OWNER_FILE)
  return server
}

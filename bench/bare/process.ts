/** A bare server as a process of its own: takes its mode from the parent and answers with the port. */
import { startBare, type BareMode, type Identity } from './server.ts'

process.once('message', ({ identity, mode }: { identity: Identity; mode: BareMode }) => {
  startBare(identity, mode).then(
    ({ port }) => process.send?.({ port }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())

/** Commands that people know and that there are not, with a word about what to use. */
import type { Command } from '../base/command.ts'
import { Fault } from '../base/faults.ts'

const refused = (use: string, why: string): Command => ({
  use,
  text: `Not supported: ${why}.`,
  run: (c) => Promise.reject(new Fault(`error: ${c.command} is not supported: ${why}`)),
})

export const top = refused(
  '(nodes | pods)',
  'there is no metrics server whose figures it could show',
)
export const kustomize = refused(
  'DIR',
  'build the objects with the kustomize program and pass them with -f -',
)
export const debug = refused(
  '(POD | TYPE/NAME)',
  'there are no nodes here that could start a container for it',
)

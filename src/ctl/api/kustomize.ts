import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'
import type { FlagSpecs } from '../base/flags.ts'

/** Kustomizations are built by other tools. */
export function refuseKustomize(c: Context): void {
  if (!c.flags.has('kustomize') || !c.flags.isSet('kustomize')) return
  throw new Fault(
    'error: --kustomize is not supported: build the objects with the kustomize program and pass them with -f -',
  )
}

/** Flags beside `--filename`. */
export const folderFlags = {
  kustomize: {
    type: 'text',
    short: 'k',
    help: 'Not supported: build the objects with another tool and use -f.',
    isHidden: true,
  },
  recursive: {
    type: 'bool',
    short: 'R',
    help: 'Process the directory used in -f, --filename recursively.',
  },
} as const satisfies FlagSpecs

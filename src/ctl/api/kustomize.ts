import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'

/** Kustomizations are built by other tools. */
export function refuseKustomize(c: Context): void {
  if (!c.flags.has('kustomize') || !c.flags.isSet('kustomize')) return
  throw new Fault(
    'error: --kustomize is not supported: build the objects with the kustomize program and pass them with -f -',
  )
}

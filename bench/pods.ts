/** Where pods can be made. */
import { setTimeout as wait } from 'node:timers/promises'
import { askAs, type Ours } from './subjects.ts'

const TRIES = 400
const TRY_AGAIN_MS = 25

/** Waits until namespaces have the account that their pods use by default; gives the paths of the pods, in order. */
export async function podsInEach(
  ours: Pick<Ours, 'target'>,
  namespaces: readonly string[],
): Promise<string[]> {
  const paths: string[] = []
  for (const namespace of namespaces) paths.push(await podsIn(ours, namespace))
  return paths
}

async function podsIn({ target }: Pick<Ours, 'target'>, namespace: string): Promise<string> {
  const base = `/api/v1/namespaces/${namespace}`
  for (let tries = 1; ; tries++) {
    try {
      await askAs(target, 'GET', `${base}/serviceaccounts/default`)
      return `${base}/pods`
    } catch (error) {
      if (tries === TRIES) throw error
      await wait(TRY_AGAIN_MS)
    }
  }
}

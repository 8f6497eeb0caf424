/** Makes a request that shows something smaller, as long as it still shows it. */
import { parseJson } from '../../src/codec/json-text.ts'
import type { FuzzRequest } from './request.ts'
import { copyOf, sitesOf, textOf, treeOf, type Tree } from './tree.ts'

/** Whether a request still shows what is looked for. */
export type Shows = (request: FuzzRequest) => Promise<boolean>

/** Tries to leave parts out, at most so many times. */
export async function shrink(
  request: FuzzRequest,
  shows: Shows,
  tries = 150,
): Promise<FuzzRequest> {
  let left = tries
  let best = request
  const better = async (smaller: FuzzRequest): Promise<boolean> => {
    if (left-- <= 0 || !(await shows(smaller))) return false
    best = smaller
    return true
  }
  if (request.raw !== null) return shortened(request, better, () => best)
  for (let i = best.headers.length - 1; i >= 0; i--)
    await better({ ...best, headers: best.headers.filter((_, at) => at !== i) })
  const [path = '', query] = best.target.split('?')
  if (query !== undefined && !(await better({ ...best, target: path }))) {
    let parts = query.split('&')
    for (const part of parts) {
      const without = parts.filter((one) => one !== part)
      if (await better({ ...best, target: `${path}?${without.join('&')}` })) parts = without
    }
  }
  const tree = best.body && asTree(best.body)
  if (tree) await smallerTree(tree, async (body) => better({ ...best, body }))
  return best
}

function asTree(body: Buffer): Tree | null {
  try {
    return treeOf(parseJson(body))
  } catch {
    return null
  }
}

/** Leaves out one member or item after the other, the largest first. */
async function smallerTree(whole: Tree, better: (body: Buffer) => Promise<boolean>): Promise<void> {
  let tree = whole
  for (let at = 0; at < sitesOf(tree).length;) {
    const smaller = copyOf(tree)
    sitesOf(smaller)[at]!.remove()
    if (await better(Buffer.from(textOf(smaller)))) tree = smaller
    else at++
  }
}

/** Bytes of no known structure are cut at their end. */
async function shortened(
  request: FuzzRequest,
  better: (smaller: FuzzRequest) => Promise<boolean>,
  best: () => FuzzRequest,
): Promise<FuzzRequest> {
  for (let step = Math.ceil(request.raw!.length / 2); step > 0; step = Math.floor(step / 2)) {
    const { raw } = best()
    while (
      raw!.length > step &&
      (await better({ ...best(), raw: best().raw!.subarray(0, best().raw!.length - step) }))
    );
  }
  return best()
}

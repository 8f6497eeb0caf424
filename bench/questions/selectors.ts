/** Does it cost more to find a few objects among many than among few? */
import type { Bench, Question } from '../bench.ts'
import { nodeOf, numberText, OWN_LABEL } from '../load/bodies.ts'
import type { LoadResult, Plan, Target } from '../load/job.ts'
import { memoryOf } from '../machine.ts'
import { plain, rateOf, type Row, type Sample } from '../measure.ts'
import { podsInEach } from '../pods.ts'
import type { Ours } from '../subjects.ts'

const ALL = '/api/v1/pods'
const PREFIX = 'web-'
const NAMESPACES = 10
const ON_EACH_NODE = 20
const MARK_EVERY = 100
const CONNECTIONS = 4
/** Different selections that take turns. */
const SELECTIONS = 100

export const selectors: Question = {
  name: 'selectors',
  // Selections are answered from memory, whatever is under it.
  stores: ['lmdb'],
  async ask(bench: Bench): Promise<Row[]> {
    const [fewest, most] = bench.options.selected
    const few = await Filled.start(bench, fewest)
    const many = await Filled.start(bench, most)
    if (few === null || many === null) return []
    const rows: Row[] = []
    await few.fill(fewest / 2)
    await many.fill(most / 2)
    const compared = async (what: string, measure: (filled: Filled) => () => Promise<Sample>) => {
      // What a server makes for selections that are repeated is there afterwards.
      for (const filled of [many, few]) await measure(filled)()
      rows.push(
        await bench.alternate(
          {
            question: 'selectors',
            what: `${what}, among ${many.count} pods to among ${few.count}`,
            unit: '/s',
            goal: null,
            costs: { of: 'bare', atMost: 1.5 },
          },
          measure(many),
          measure(few),
        ),
      )
    }
    const resident: Sample[] = [plain(many.resident())]
    await compared('each of the 1 % that have a label', (filled) => () => filled.marked())
    await few.fill(fewest)
    await many.fill(most)
    for (const { what, query } of [
      {
        what: 'one by label',
        query: (i: number) => `labelSelector=${OWN_LABEL}%3D${numberText(i)}`,
      },
      {
        what: 'one by metadata.name',
        query: (i: number) => `fieldSelector=metadata.name%3D${PREFIX}${numberText(i)}`,
      },
      {
        what: `${ON_EACH_NODE} by spec.nodeName`,
        query: (i: number) => `fieldSelector=spec.nodeName%3D${nodeOf(i, ON_EACH_NODE)}`,
      },
    ])
      await compared(what, (filled) => () => filled.each(query))
    resident.push(plain(many.resident()))
    const row = { question: 'selectors', unit: 'MB', bare: [], goal: null } as const
    for (const [i, sample] of resident.entries())
      rows.push({
        ...row,
        what:
          i === 0
            ? `resident with ${most / 2} pods`
            : `resident with ${most} pods, selected by three`,
        ours: [sample],
      })
    return rows
  },
}

/** A server with pods. */
class Filled {
  count = 0
  readonly #bench: Bench
  readonly #ours: Ours
  readonly #target: Target
  readonly #paths: readonly string[]

  private constructor(
    bench: Bench,
    { ours, target, paths }: { ours: Ours; target: Target; paths: readonly string[] },
  ) {
    this.#bench = bench
    this.#ours = ours
    this.#target = target
    this.#paths = paths
  }

  static async start(bench: Bench, most: number): Promise<Filled | null> {
    // Its pods are on nodes that nobody has registered, which the controller would delete.
    const { ours, target } = await bench.served({ flags: ['--controllers', '*,-podgc'] })
    if (ours === null) return null
    const paths = await podsInEach(ours, await bench.namespaces(ours, 'selectors', NAMESPACES))
    bench.say(`making ${most} pods, half of them now`)
    return new Filled(bench, { ours, target, paths })
  }

  /** Makes pods until there are so many. */
  async fill(count: number): Promise<void> {
    await this.#bench.add(this.#target, {
      is: 'createPods',
      paths: this.#paths,
      prefix: PREFIX,
      count: count - this.count,
      from: this.count,
      markEvery: MARK_EVERY,
      onEachNode: ON_EACH_NODE,
    })
    this.count = count
  }

  resident(): number {
    return memoryOf(this.#ours.target.pid).resident / 1e6
  }

  /** Selections of different pods. */
  async each(query: (number: number) => string): Promise<Sample> {
    const step = Math.floor(this.count / SELECTIONS)
    const paths = Array.from({ length: SELECTIONS }, (_, i) => `${ALL}?${query(i * step)}`)
    return rateOf(await this.#ask({ is: 'gets', paths }))
  }

  /** The pods that have a label; counted for each. */
  async marked(): Promise<Sample> {
    const path = `${ALL}?labelSelector=marked%3Dyes`
    const { operations, ...rest } = await this.#ask({ is: 'get', path })
    const found = Math.ceil(this.count / MARK_EVERY)
    return rateOf({ ...rest, operations: operations * found })
  }

  #ask(plan: Plan): Promise<LoadResult> {
    return this.#bench.requests(this.#target, 'h1', { connections: CONNECTIONS }, plan)
  }
}

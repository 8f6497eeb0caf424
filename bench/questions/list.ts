/** How near does a large list come to moving bytes through TLS? And what does it hold in memory? */
import { vocabularies } from '../../src/vocabulary/index.ts'
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import type { Plan, Target } from '../load/job.ts'
import { memoryOf, resetPeak } from '../machine.ts'
import { bytesOf, plain, rateOf, type Goal, type Row } from '../measure.ts'

const PAGE = 500
const MARK_EVERY = 100
const TWO_CHUNKS_KIB = 512
const TABLE = vocabularies.orch.resolve('application/json;as=Table;v=v1;g=meta{api}')

export const list: Question = {
  name: 'list',
  async ask(bench: Bench): Promise<Row[]> {
    const { listItems } = bench.options
    const { ours, target } = await bench.served()
    let path = '/'
    let bytes = listItems * OBJECT_BYTES
    if (ours !== null) {
      bench.say(`making ${listItems} objects`)
      path = await bench.fill(ours, 'list', 'settings-', listItems, MARK_EVERY)
      const { text } = await ours.ask('GET', path)
      bytes = Buffer.byteLength(text)
      // The namespace has one of the cluster's own as well.
      const { length } = (
        JSON.parse(text) as { items: { metadata: { name: string } }[] }
      ).items.filter(({ metadata }) => metadata.name.startsWith('settings-'))
      if (length !== listItems)
        throw new Error(`the list has ${length} items instead of ${listItems}`)
    }
    const one = { connections: 1 }
    const aim = { of: 'ratio', is: 'at least', number: 0.5 } as const
    const row = async (
      what: string,
      protocol: 'h1' | 'h2',
      plan: Plan,
      { whole = bytes, goal = aim }: { whole?: number; goal?: Goal | null } = {},
    ) => {
      const bare = await bench.bare({ is: 'bulk', bytes: whole })
      const got = await bench.alternate(
        { question: 'list', what, unit: 'MB/s', goal },
        ours && (async () => bytesOf(await bench.requests(target, protocol, one, plan))),
        async () => bytesOf(await bench.requests(bare.target, 'h1', one, { is: 'get', path })),
      )
      await bare.end()
      return got
    }
    /** A list of other bytes than the whole one, beside as many of TLS. */
    const form = async (what: string, query: string, accept: string, most = Infinity) => {
      const plan = { is: 'get', path: `${path}${query}`, accept } as const
      const whole = ours === null ? bytes : await sizeOf(bench, target, plan)
      if (whole > most) throw new Error(`${what} has ${whole} bytes, which is too many`)
      return row(`list ${listItems} x 2 KiB, ${what}, https`, 'h1', plan, { whole, goal: null })
    }
    const rows = [
      await row(`list ${listItems} x 2 KiB, whole, https`, 'h1', { is: 'get', path }),
      await row(`list ${listItems} x 2 KiB, whole, h2`, 'h2', { is: 'get', path }),
      await row(`list ${listItems} x 2 KiB, pages of ${PAGE}, https`, 'h1', {
        is: 'pages',
        path,
        limit: PAGE,
      }),
      await form(
        'label selector that 1 % match',
        '?labelSelector=marked%3Dyes',
        'application/json',
        bytes / 50,
      ),
      await form('as a Table', '', TABLE, bytes),
    ]
    if (ours !== null) {
      const { pid } = ours.target
      const page = { is: 'get', path: `${path}?limit=${PAGE}` } as const
      const pages = (plan: Plan) => async () =>
        rateOf(await bench.requests(target, 'h1', one, plan))
      rows.push(
        await bench.alternate(
          {
            question: 'list',
            what: `page of ${PAGE} as a Table, to the same page as JSON`,
            unit: '/s',
            goal: null,
            costs: { of: 'bare', atMost: 1.2 },
          },
          pages({ ...page, accept: TABLE }),
          pages(page),
        ),
      )
      rows.push(
        await bench.alternate(
          {
            question: 'list',
            what: 'growth of resident memory while one list is sent',
            unit: 'KiB',
            goal: { of: 'value', is: 'at most', number: TWO_CHUNKS_KIB },
          },
          async () => {
            const before = memoryOf(pid).resident
            resetPeak(pid)
            await sizeOf(bench, target, { is: 'get', path })
            return plain((memoryOf(pid).peak - before) / 1024)
          },
          null,
        ),
      )
      const goal = { of: 'value', is: 'at most', number: (1.5 * bytes) / 1e6 + 100 } as const
      const what = `resident with ${listItems} objects, after the lists`
      rows.push({
        question: 'list',
        what,
        unit: 'MB',
        ours: [plain(memoryOf(pid).resident / 1e6)],
        bare: [],
        goal,
      })
    }
    return rows
  },
}

/** Bytes of one answer. */
async function sizeOf(bench: Bench, target: Target, plan: Plan): Promise<number> {
  const { bytes } = await bench.once(target, plan)
  return bytes
}

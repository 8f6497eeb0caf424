/** How near does a large list come to moving bytes through TLS? And what does it hold in memory? */
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import type { Plan } from '../load/job.ts'
import { memoryOf, resetPeak } from '../machine.ts'
import { bytesOf, plain, type Row } from '../measure.ts'

const PAGE = 500

export const list: Question = {
  name: 'list',
  async ask(bench: Bench): Promise<Row[]> {
    const { listItems } = bench.options
    const ours = await bench.ours()
    let path = '/'
    let bytes = listItems * OBJECT_BYTES
    if (ours !== null) {
      bench.say(`making ${listItems} objects`)
      path = await bench.fill(ours, 'list', 'settings-', listItems)
      const { text } = await ours.ask('GET', path)
      bytes = Buffer.byteLength(text)
      const { length } = (JSON.parse(text) as { items: unknown[] }).items
      if (length !== listItems)
        throw new Error(`the list has ${length} items instead of ${listItems}`)
    }
    const bare = await bench.bare({ is: 'bulk', bytes })
    const one = { connections: 1 }
    const goal = { of: 'ratio', is: 'at least', number: 0.5 } as const
    const row = (what: string, protocol: 'h1' | 'h2', plan: Plan) =>
      bench.alternate(
        { question: 'list', what, unit: 'MB/s', goal },
        ours && (async () => bytesOf(await bench.requests(ours.target, protocol, one, plan))),
        async () => bytesOf(await bench.requests(bare.target, 'h1', one, { is: 'get', path })),
      )
    const rows = [
      await row(`list ${listItems} x 2 KiB, whole, https`, 'h1', { is: 'get', path }),
      await row(`list ${listItems} x 2 KiB, whole, h2`, 'h2', { is: 'get', path }),
      await row(`list ${listItems} x 2 KiB, pages of ${PAGE}, https`, 'h1', {
        is: 'pages',
        path,
        limit: PAGE,
      }),
    ]
    if (ours !== null) {
      const { pid } = ours.target
      rows.push(
        await bench.alternate(
          {
            question: 'list',
            what: 'growth of resident memory while one list is sent',
            unit: 'KiB',
            goal: null,
          },
          async () => {
            const before = memoryOf(pid).resident
            resetPeak(pid)
            await ours.ask('GET', path)
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

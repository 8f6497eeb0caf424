/** What does a get cost above the transport? */
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import { crossCheck } from '../cross-check.ts'
import { rateOf, type Row } from '../measure.ts'

const SHAPES = [
  { protocol: 'h1', connections: 32, streams: 1, what: 'get 2 KiB, https, 32 connections' },
  { protocol: 'h2', connections: 8, streams: 16, what: 'get 2 KiB, h2, 8 x 16 streams' },
] as const

export const get: Question = {
  name: 'get',
  async ask(bench: Bench): Promise<Row[]> {
    const { ours, target } = await bench.served()
    let path = '/'
    let body = 'v'.repeat(OBJECT_BYTES)
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (ours !== null) {
      path = `${await bench.fill(ours, 'get', 'settings-', 1)}/settings-0000000`
      const answer = await ours.ask('GET', path)
      body = answer.text
      for (const [name, value] of Object.entries(answer.headers)) {
        if (name.startsWith('content-') && name !== 'content-length') headers[name] = String(value)
      }
    }
    const bare = await bench.bare({ is: 'http', headers, body })
    const rows: Row[] = []
    for (const { what, protocol, ...lanes } of SHAPES) {
      rows.push(
        await bench.alternate(
          { question: 'get', what, unit: '/s', goal: { of: 'ratio', is: 'at least', number: 0.6 } },
          ours &&
            (async () =>
              rateOf(await bench.requests(target, protocol, lanes, { is: 'get', path }))),
          async () =>
            rateOf(await bench.requests(bare.target, protocol, lanes, { is: 'get', path })),
        ),
      )
    }
    bench.notes.push(...(await crossCheck(bench, bare.target.port)))
    return rows
  },
}

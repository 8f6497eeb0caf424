import { expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { ExpectedFailure, healthEndpoints } from './health.ts'

/** What `/readyz` answers and logs while a check fails for one reason after another; null: it succeeds. */
async function asked(failures: readonly (Error | null)[]) {
  let failure: Error | null = null
  const lines: string[] = []
  const check = () => {
    if (failure) throw failure
  }
  const [[, readyz]] = healthEndpoints([{ name: 'etcd', of: ['readyz'], check }]).filter(
    ([path]) => path === '/readyz',
  ) as [ReturnType<typeof healthEndpoints>[number]]
  const log = {
    warn: (message: string, fields: object) =>
      void lines.push(`${message} ${JSON.stringify(fields)}`),
  }
  const context = { query: new Map(), server: { log } } as unknown as Context
  const statuses: number[] = []
  for (failure of failures) statuses.push((await readyz(context)).status)
  return { statuses, lines }
}

const failed = (error: string) => `a health check failed {"check":"etcd","error":"${error}"}`
const AGAIN = 'a health check succeeds again {"check":"etcd"}'
const down = () => new Error('down')

for (const { title, failures, statuses, lines } of [
  {
    title: 'nothing of a check that succeeds',
    failures: [null, null],
    statuses: [200, 200],
    lines: [],
  },
  {
    title: 'nothing of a start that is not finished, or an end on purpose',
    failures: [new ExpectedFailure('not finished'), new ExpectedFailure('not finished'), null],
    statuses: [500, 500, 200],
    lines: [],
  },
  {
    title: 'a failure once, and its end',
    failures: [null, down(), down(), down(), null, null],
    statuses: [200, 500, 500, 500, 200, 200],
    lines: [failed('down'), AGAIN],
  },
  {
    title: 'another reason, and a failure that comes back',
    failures: [down(), new Error('slow'), null, down()],
    statuses: [500, 500, 200, 500],
    lines: [failed('down'), failed('slow'), AGAIN, failed('down')],
  },
])
  test(`the log has ${title}`, async () => {
    expect(await asked(failures)).toEqual({ statuses, lines })
  })

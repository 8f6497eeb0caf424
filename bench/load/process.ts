/** A process that makes load: takes jobs from its parent, one at a time, and answers each. */
import type { Job, LoadResult } from './job.ts'
import { runRequests } from './run-requests.ts'
import { runWatch } from './run-watch.ts'

/** What a load process sends back for a job. */
export type LoadAnswer = { readonly result: LoadResult } | { readonly error: string }

const run = (job: Job) => (job.is === 'requests' ? runRequests(job) : runWatch(job))

process.on('message', (job: Job) => {
  run(job).then(
    (result) => process.send?.({ result } satisfies LoadAnswer),
    (error: unknown) => process.send?.({ error: String(error) } satisfies LoadAnswer),
  )
})
process.on('disconnect', () => process.exit())

import { badRequest } from '../../meta/errors.ts'
import type { Profile } from '../../profiling/profile.ts'
import type { Taking } from '../../profiling/profiler.ts'
import type { ApiResponse, Context, Endpoint } from '../context.ts'
import { first } from '../../registry/context.ts'

const ROOT = '/debug/pprof'
const MAX_SECONDS = 300
const CPU_SECONDS = 30
const HEAP_SECONDS = 5

/** Loaded when they are first asked for. */
const profilers = () => import('../../profiling/profiler.ts')

interface Page {
  readonly about: string
  readonly answer: Endpoint
}

const pages: Readonly<Record<string, Page>> = {
  allocs: {
    about: `Sampled allocations during ?seconds=${HEAP_SECONDS}, whether still in use or not.`,
    answer: (context) =>
      profileAnswer(context, HEAP_SECONDS, async (taking) =>
        (await profilers()).heapProfile(taking, { all: true }),
      ),
  },
  cmdline: {
    about: 'The command line of the process.',
    answer: () => text(200, process.argv.join('\0')),
  },
  goroutine: {
    about: 'What the event loop waits for, by type. ?debug=1 for text.',
    answer: activeAnswer,
  },
  heap: {
    about: `Sampled allocations during ?seconds=${HEAP_SECONDS} that are still in use at their end.`,
    answer: (context) =>
      profileAnswer(context, HEAP_SECONDS, async (taking) =>
        (await profilers()).heapProfile(taking, { all: false }),
      ),
  },
  profile: {
    about: `CPU profile of ?seconds=${CPU_SECONDS}.`,
    answer: (context) =>
      profileAnswer(context, CPU_SECONDS, async (taking) => (await profilers()).cpuProfile(taking)),
  },
  symbol: {
    about: 'Looks up addresses: there are none, since profiles contain names.',
    answer: () => text(200, 'num_symbols: 1\n'),
  },
}

/** Profiles of the reference that this runtime cannot take, and why. */
const ABSENT: Readonly<Record<string, string>> = {
  block:
    'JavaScript runs on one thread, which waits for no locks. See goroutine for what the event loop waits for.',
  mutex: 'JavaScript runs on one thread, which has no locks. See profile for where time goes.',
  threadcreate: 'The runtime starts a fixed number of threads.',
  trace: 'Execution traces are those of another runtime. See profile for where time goes.',
}

/** `/debug/pprof/` and the pages below it. */
export const profilingEndpoints: readonly (readonly [string, Endpoint])[] = [
  [ROOT, index],
  ...Object.entries(pages).map(([name, { answer }]) => [`${ROOT}/${name}`, answer] as const),
  ...Object.entries(ABSENT).map(
    ([name, why]) =>
      [`${ROOT}/${name}`, () => text(501, `There is no profile ${name}: ${why}\n`)] as const,
  ),
]

function index(): ApiResponse {
  const rows = Object.entries(pages).map(
    ([name, { about }]) => `<li><a href="${ROOT}/${name}">${name}</a>: ${about}</li>\n`,
  )
  return {
    status: 200,
    headers: ['content-type', 'text/html; charset=utf-8', 'x-content-type-options', 'nosniff'],
    body: `<html>\n<head>\n<title>${ROOT}/</title>\n</head>\n<body>\n${ROOT}/\n<ul>\n${rows.join('')}</ul>\n</body>\n</html>\n`,
  }
}

const text = (status: number, body: string): ApiResponse => ({
  status,
  headers: ['content-type', 'text/plain; charset=utf-8', 'x-content-type-options', 'nosniff'],
  body,
})

/** Takes a profile for the seconds of the request. One at a time: another gets 500, as the tools expect. */
async function profileAnswer(
  context: Context,
  standard: number,
  take: (taking: Taking) => Promise<Profile>,
): Promise<ApiResponse> {
  const seconds = secondsOf(context, standard)
  const { ProfilerBusy } = await profilers()
  try {
    return await encoded(await take({ seconds, signal: context.exchange.signal }))
  } catch (error) {
    if (!(error instanceof ProfilerBusy)) throw error
    return text(500, 'Could not enable profiling: profiling already in use\n')
  }
}

function secondsOf({ query }: Context, standard: number): number {
  const asked = first(query, 'seconds')
  if (asked === undefined || asked === '') return standard
  const seconds = Number(asked)
  if (!/^\d{1,4}(\.\d+)?$/.test(asked) || seconds <= 0 || seconds > MAX_SECONDS)
    throw badRequest(`seconds must be above 0 and at most ${MAX_SECONDS}, not ${asked}`)
  return seconds
}

async function encoded(profile: Profile): Promise<ApiResponse> {
  const { encodeProfile } = await import('../../profiling/profile.ts')
  return {
    status: 200,
    headers: [
      ...['content-type', 'application/octet-stream', 'x-content-type-options', 'nosniff'],
      ...['content-disposition', 'attachment; filename="profile"'],
    ],
    body: encodeProfile(profile),
  }
}

async function activeAnswer(context: Context): Promise<ApiResponse> {
  const { activeResources, resourceProfile } = await profilers()
  const debug = first(context.query, 'debug') ?? '0'
  if (debug === '0' || debug === '') return encoded(resourceProfile())
  const rows = [...activeResources()].map(([type, count]) => `${count} ${type}\n`)
  return text(200, `active resources:\n${rows.join('')}`)
}

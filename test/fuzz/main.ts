/**
 * Sends made-up requests to real servers and looks at what comes back: `npm run test:fuzz`, described in docs/fuzzing.md.
 * FUZZ_SEED, FUZZ_SECONDS, FUZZ_MODES and FUZZ_REPLAY choose what is done.
 */
import { Admin } from './admin.ts'
import { judge, judgeLog } from './oracle.ts'
import { findingText, lineOf, statusesOf } from './report.ts'
import { readWritten, written } from './request.ts'
import { Run } from './run.ts'
import { startSubject, type Subject, type SubjectOptions } from './subject.ts'
import { Transport } from './transport.ts'
import { learnWorld, type World } from './world.ts'
import { namespaceOf } from './generator.ts'

const MODES = ['orch/lmdb', 'kubernetes/lmdb']
const say = (line: string) => process.stdout.write(`${line}\n`)

function modesOf(text: string | undefined): SubjectOptions[] {
  return (text === undefined || text === '' ? MODES : text.split(',')).map((mode) => {
    const [vocabulary, store = 'lmdb'] = mode.split('/')
    if (vocabulary !== 'orch' && vocabulary !== 'kubernetes')
      throw new Error(`FUZZ_MODES: ${vocabulary} is neither orch nor kubernetes`)
    if (store !== 'lmdb' && store !== 'memory' && store !== 'etcd')
      throw new Error(`FUZZ_MODES: ${store} is none of lmdb, memory, etcd`)
    return { vocabulary, store }
  })
}

function numberOf(name: string, usual: number): number {
  const text = process.env[name]
  if (text === undefined || text === '') return usual
  const value = Number(text)
  if (!Number.isFinite(value) || value < 0) throw new Error(`${name}: ${text} is no number`)
  return value
}

const learn = async (options: SubjectOptions, subject: Subject): Promise<World> => {
  const admin = new Admin(subject.where)
  const world = await learnWorld(
    options.vocabulary,
    async (path) => (await admin.ask('GET', path)).body,
  )
  admin.close()
  return world
}

async function fuzz(options: SubjectOptions, seed: number, seconds: number): Promise<boolean> {
  const subject = await startSubject(options)
  try {
    const figures = await new Run(subject, await learn(options, subject), { seed, seconds }).go()
    say(lineOf(figures))
    say(`  ${statusesOf(figures)}`)
    if (process.env['FUZZ_SLOWEST'] !== undefined)
      for (const { ms, request } of figures.slowest)
        say(`  ${ms} ms: ${written(request).slice(0, 3000)}`)
    for (const finding of figures.findings) say(findingText(finding))
    return figures.findings.length === 0
  } finally {
    await subject.close()
  }
}

/** Sends one request to a new server and shows what comes. */
async function replay(options: SubjectOptions, text: string): Promise<boolean> {
  const subject = await startSubject(options)
  const transport = new Transport(subject.where)
  const admin = new Admin(subject.where)
  try {
    for (let lane = 0; lane < 6; lane++)
      await admin.ask('POST', '/api/v1/namespaces', {
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespaceOf(lane) } },
      })
    const before = process.env['FUZZ_BEFORE']
    if (before !== undefined) {
      const [path = '', body = ''] = before.split(' ', 2)
      const made = await admin.ask('POST', path, { body: Buffer.from(body, 'base64') })
      say(`before: ${made.status} ${made.bytes.toString()}`)
    }
    const request = readWritten(text)
    const outcome = await transport.send(request)
    const problems = await judge(request, outcome, (one) => transport.send(one))
    problems.push(...judgeLog(subject.takeLog()))
    say(
      `${outcome.ended} ${outcome.answer?.status ?? ''} ${JSON.stringify(outcome.answer?.headers ?? {})}`,
    )
    say(outcome.answer?.body.toString() ?? '')
    for (const { is, message } of problems) say(`${is}: ${message}`)
    return problems.length === 0
  } finally {
    transport.close()
    admin.close()
    await subject.close()
  }
}

const modes = modesOf(process.env['FUZZ_MODES'])
const text = process.env['FUZZ_REPLAY']
let isRight = true
if (text !== undefined) isRight = await replay(modes[0]!, text)
else {
  const seed = numberOf('FUZZ_SEED', Date.now() % 1_000_000_000)
  const seconds = numberOf('FUZZ_SECONDS', 300)
  say(`FUZZ_SEED=${seed}`)
  for (const mode of modes) isRight = (await fuzz(mode, seed, seconds / modes.length)) && isRight
}
process.exit(isRight ? 0 : 1)

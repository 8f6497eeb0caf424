/**
 * The campaign: each part over and over, for hours; prints what it came to and ends with 1 when something was found.
 *
 *     npm run test:campaign -- --part=kills --rounds=100 --hours=1 --seed=7
 *
 * Without `--part` all of them run, one after the other; without `--rounds` as many as a full run has; `--hours` ends each
 * part at the latest.
 */
import { parseArgs } from 'node:util'
import { clock } from './clock.ts'
import { disk } from './disk.ts'
import { fuzz } from './fuzz.ts'
import { kills } from './kills.ts'
import { memory } from './memory.ts'
import type { Part, PartResult } from './part.ts'
import { wordsOf } from './part.ts'
import { partitions } from './partitions.ts'

const PARTS: readonly Part[] = [kills, partitions, disk, clock, memory, fuzz]
const HOUR_MS = 3_600_000

const { values } = parseArgs({
  options: {
    part: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    hours: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
  },
})

/** The number in a flag; ends the program where there is none. */
function numberOf(flag: string, text: string): number {
  const number = Number(text)
  if (Number.isFinite(number) && number > 0) return number
  console.error(`--${flag} needs a number above zero, not ${JSON.stringify(text)}`)
  return process.exit(2)
}

function chosenParts(): readonly Part[] {
  const { part = [] } = values
  const unknown = part.filter((name) => !PARTS.some((one) => one.name === name))
  if (unknown.length > 0) {
    const known = PARTS.map(({ name }) => name).join(', ')
    console.error(`no part is called ${unknown.join(', ')}; there are ${known}`)
    process.exit(2)
  }
  return part.length === 0 ? PARTS : PARTS.filter(({ name }) => part.includes(name))
}

async function ran(part: Part): Promise<PartResult> {
  const rounds =
    values.rounds === undefined ? part.full : Math.ceil(numberOf('rounds', values.rounds))
  const options = {
    seed: numberOf('seed', values.seed),
    rounds,
    until: performance.now() + numberOf('hours', values.hours) * HOUR_MS,
    say: (line: string) => console.log(`  ${part.name}: ${line}`),
  }
  try {
    return await part.run(options)
  } catch (error) {
    const violations = [`the part broke off: ${wordsOf(error)}`]
    return { rounds: 0, figures: {}, violations, skipped: null }
  }
}

function print({ name, shows, unit, full }: Part, result: PartResult, minutes: number): void {
  console.log(`\n${name}: ${shows}`)
  if (result.skipped !== null) return console.log(`  skipped: ${result.skipped}`)
  console.log(`  ${result.rounds} ${unit} in ${minutes} minutes (a full run has ${full})`)
  for (const [figure, value] of Object.entries(result.figures)) console.log(`  ${figure}: ${value}`)
  console.log(result.violations.length === 0 ? '  nothing was found' : '  FOUND:')
  for (const what of result.violations.slice(0, 50)) console.log(`  - ${what}`)
}

let found = 0
for (const part of chosenParts()) {
  const start = performance.now()
  const result = await ran(part)
  print(part, result, Math.round((performance.now() - start) / 6_000) / 10)
  found += result.violations.length
}
process.exit(found === 0 ? 0 : 1)

import { describe, expect, test } from 'vitest'
import { ignoredLine, namedFlags, sift } from './known-flags.ts'

const flags = namedFlags('profiling  goaway-chance=')

describe('flags taken out of arguments', () => {
  for (const { name, args, kept = [], taken = [] } of [
    { name: 'none', args: ['--a=1', 'b', '--', '-v=2'], kept: ['--a=1', 'b', '--', '-v=2'] },
    {
      name: 'a value behind an equals sign',
      args: ['--goaway-chance=0.1', '--a'],
      kept: ['--a'],
      taken: [['goaway-chance', '0.1']],
    },
    {
      name: 'a value of its own',
      args: ['--goaway-chance', '0.1', '--a'],
      kept: ['--a'],
      taken: [['goaway-chance', '0.1']],
    },
    {
      name: 'a missing value',
      args: ['--goaway-chance'],
      taken: [['goaway-chance', '']],
    },
    {
      name: 'no value behind a switch',
      args: ['--profiling', 'b'],
      kept: ['b'],
      taken: [['profiling', 'true']],
    },
    {
      name: 'a switch turned off, with an underscore, twice',
      args: ['--profiling=false', '--goaway_chance=a=b', '--profiling'],
      taken: [
        ['profiling', 'false'],
        ['goaway-chance', 'a=b'],
        ['profiling', 'true'],
      ],
    },
    { name: 'names of prototypes', args: ['--constructor'], kept: ['--constructor'] },
  ]) {
    test(name, () => expect(sift(args, flags)).toEqual({ kept, taken }))
  }
})

test('one line names each flag once', () => {
  expect(ignoredLine([])).toBe(null)
  expect(ignoredLine(sift(['--profiling', '--goaway-chance=1', '--profiling'], flags).taken)).toBe(
    'accepted without effect: --profiling, --goaway-chance',
  )
})

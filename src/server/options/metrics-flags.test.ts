import { expect, test } from 'vitest'
import { parseFlags } from '../../flags/flags.ts'
import { metricsFlags, metricsOf } from './metrics-flags.ts'

const read = (...args: string[]) => metricsOf(parseFlags(metricsFlags, args))

test.each([
  { args: [], is: undefined },
  {
    args: [
      '--show-hidden-metrics-for-version=1.24',
      '--disabled-metrics=a,b',
      '--disabled-metrics=c',
    ],
    is: { showHiddenForVersion: '1.24', disabled: ['a', 'b', 'c'], allowLabels: new Map() },
  },
  {
    args: ['--allow-metric-labels=m,a=1,2', '--allow-metric-labels=m,b=3'],
    is: {
      showHiddenForVersion: '',
      disabled: [],
      allowLabels: new Map([
        ['m,a', '1,2'],
        ['m,b', '3'],
      ]),
    },
  },
  {
    args: ['--allow-metric-labels="m,a=1,2","m,b=3"'],
    is: {
      showHiddenForVersion: '',
      disabled: [],
      allowLabels: new Map([
        ['m,a', '1,2'],
        ['m,b', '3'],
      ]),
    },
  },
])('$args', ({ args, is }) => {
  expect(read(...args)).toEqual(is === undefined ? {} : { metrics: is })
})

const LABELS =
  '--allow-metric-labels must be a list of key-value pairs in the format `metricName,labelName=labelValue,labelValue,...`'
const HIDDEN =
  "--show-hidden-metrics-for-version must be omitted or have the value '1.24'. Only the previous minor version is allowed"

test.each([
  ['--show-hidden-metrics-for-version=1.25', HIDDEN],
  ['--show-hidden-metrics-for-version=1.23', HIDDEN],
  ['--show-hidden-metrics-for-version=x', HIDDEN],
  ['--allow-metric-labels=m=1', LABELS],
  ['--allow-metric-labels=m,a-b=1', LABELS],
  ['--allow-metric-labels=m,a', '--allow-metric-labels must have a value for "m", not "m,a"'],
  ['--disabled-metrics=a-b', '--disabled-metrics has "a-b", which is not a metric name'],
])('%s is refused', (arg, message) => {
  expect(() => read(arg)).toThrow(message)
})

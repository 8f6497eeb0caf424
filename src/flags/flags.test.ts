import { describe, expect, test } from 'vitest'
import {
  boolFlag,
  choiceFlag,
  durationFlag,
  FlagError,
  intFlag,
  ipFlag,
  parseFlags,
  switchesFlag,
  textFlag,
} from './flags.ts'

const about = { section: 'S', help: 'H.' }
const flags = {
  'data-dir': textFlag({ ...about, default: './data' }),
  store: choiceFlag(['disk', 'memory'], { ...about, default: 'disk' }),
  port: intFlag({ min: 0, max: 65_535 }, { ...about, default: '6443' }),
  'request-timeout': durationFlag({ ...about, default: '1m' }),
  'bind-address': ipFlag({ ...about, default: '127.0.0.1' }),
  v: intFlag({ min: 0, max: 10 }, { ...about, short: 'v', default: '0' }),
  help: boolFlag({ ...about, short: 'h' }),
  gates: switchesFlag({ ...about, default: '' }),
  'advertise-address': ipFlag({ ...about, default: '' }),
}
const standard = {
  'data-dir': './data',
  store: 'disk',
  port: 6443,
  'request-timeout': 60_000,
  'bind-address': '127.0.0.1',
  v: 0,
  help: false,
  gates: {},
  'advertise-address': '',
}

describe('understood', () => {
  for (const { args, given } of [
    { args: '', given: {} },
    { args: '--data-dir=/x', given: { 'data-dir': '/x' } },
    { args: '--data-dir /x', given: { 'data-dir': '/x' } },
    { args: '--data_dir /x', given: { 'data-dir': '/x' } },
    { args: '--data-dir=a=b', given: { 'data-dir': 'a=b' } },
    { args: '--data-dir --odd', given: { 'data-dir': '--odd' } },
    { args: '--data-dir -', given: { 'data-dir': '-' } },
    { args: '--data-dir a_b', given: { 'data-dir': 'a_b' } },
    { args: '--store memory --store=disk', given: { store: 'disk' } },
    { args: '--port 0', given: { port: 0 } },
    { args: '--port=+65535', given: { port: 65_535 } },
    { args: '--request-timeout 1m30s', given: { 'request-timeout': 90_000 } },
    { args: '--request-timeout=1500us', given: { 'request-timeout': 1.5 } },
    { args: '--bind-address ::1', given: { 'bind-address': '::1' } },
    { args: '--v=2', given: { v: 2 } },
    { args: '--v 2', given: { v: 2 } },
    { args: '-v=2', given: { v: 2 } },
    { args: '-v 2', given: { v: 2 } },
    { args: '-v2', given: { v: 2 } },
    { args: '--help', given: { help: true } },
    { args: '-h', given: { help: true } },
    { args: '--help=false', given: { help: false } },
    { args: '--help=F -v 1', given: { v: 1 } },
    { args: '-v 1 --', given: { v: 1 } },
    { args: '--gates=', given: {} },
    { args: '--gates A', given: { gates: { A: true } } },
    { args: '--gates A=true,B=false', given: { gates: { A: true, B: false } } },
    { args: '--gates=A=1,B=F,,C=t,', given: { gates: { A: true, B: false, C: true } } },
    { args: '--gates A=true --gates=B', given: { gates: { A: true, B: true } } },
    { args: '--gates A,B --gates A=false', given: { gates: { A: false, B: true } } },
    { args: '--gates A=true,A=false', given: { gates: { A: false } } },
    {
      args: '--gates api/all=false,v1,apps/v1/deployments=true',
      given: { gates: { 'api/all': false, v1: true, 'apps/v1/deployments': true } },
    },
    { args: '--advertise-address 2001:db8::1', given: { 'advertise-address': '2001:db8::1' } },
    { args: '--advertise-address=', given: {} },
  ]) {
    test(args === '' ? 'nothing' : args, () => {
      const words = args === '' ? [] : args.split(' ')
      expect(parseFlags(flags, words)).toEqual({ ...standard, ...given })
    })
  }
})

describe('refused', () => {
  for (const { args, message } of [
    { args: '--data-dri x', message: 'unknown flag: --data-dri (did you mean --data-dir?)' },
    { args: '--data=x', message: 'unknown flag: --data (did you mean --data-dir?)' },
    { args: '--DATA-DIR=x', message: 'unknown flag: --DATA-DIR' },
    { args: '--colour', message: 'unknown flag: --colour' },
    { args: '--constructor=x', message: 'unknown flag: --constructor' },
    { args: '--__proto__=x', message: 'bad flag syntax: --__proto__=x' },
    { args: '--=x', message: 'bad flag syntax: --=x' },
    { args: '---port=1', message: 'bad flag syntax: ---port=1' },
    { args: '-x', message: "unknown shorthand flag: 'x' in -x" },
    { args: '-port=1', message: "unknown shorthand flag: 'p' in -port=1 (did you mean --port?)" },
    { args: '--port', message: '--port needs a value' },
    { args: '-v', message: '-v needs a value' },
    { args: 'extra', message: 'unexpected arguments: ["extra"]' },
    { args: '-v 1 -- extra -h', message: 'unexpected arguments: ["extra","-h"]' },
    { args: '- x', message: 'unexpected arguments: ["-","x"]' },
    { args: '--port http', message: '--port must be a whole number, not "http"' },
    {
      args: '--port 99999999999999999999',
      message: '--port must be from 0 to 65535, not 100000000000000000000',
    },
    { args: '--port=-1', message: '--port must be from 0 to 65535, not -1' },
    {
      args: '-v=x',
      message: '--v must be a whole number, not "x"',
    },
    {
      args: '--help=yes',
      message: '--help must be true or false, not "yes"',
    },
    {
      args: '--request-timeout 5',
      message: '--request-timeout must be a duration such as 30s, 1m30s or 2h, not "5"',
    },
    { args: '--request-timeout -5s', message: '--request-timeout must not be negative' },
    { args: '--request-timeout 0', message: '--request-timeout must be at least 1ms' },
    {
      args: '--bind-address localhost',
      message: '--bind-address must be an IP address, not "localhost"',
    },
    {
      args: '--bind-address fe80::1%eth0',
      message: '--bind-address must be an IP address, not "fe80::1%eth0"',
    },
    {
      args: '--store tape',
      message: '--store must be one of disk, memory, not "tape"',
    },
    { args: '--data-dir=', message: '--data-dir must not be empty' },
    { args: '--gates', message: '--gates needs a value' },
    {
      args: '--gates A=yes',
      message: '--gates must have true or false for "A", not "A=yes"',
    },
    {
      args: '--gates A,B=',
      message: '--gates must have true or false for "B", not "A,B="',
    },
    {
      args: '--gates A,=true',
      message: '--gates must have a name before each value, not "A,=true"',
    },
    {
      args: '--gates A=true=false',
      message: '--gates must have true or false for "A", not "A=true=false"',
    },
    {
      args: '--advertise-address here',
      message: '--advertise-address must be an IP address, not "here"',
    },
    {
      args: '--data-dir= --port=-1',
      message: '--data-dir must not be empty; --port must be from 0 to 65535, not -1',
    },
  ]) {
    test(args, () => {
      expect(() => parseFlags(flags, args.split(' '))).toThrow(new FlagError(message))
    })
  }
})

test('names that every object has are names like others', () => {
  const { gates } = parseFlags(flags, ['--gates', '__proto__=true,constructor=false'])
  expect(Object.entries(gates)).toEqual([
    ['__proto__', true],
    ['constructor', false],
  ])
  const merged = parseFlags(flags, ['--gates', '__proto__=true', '--gates', 'A=true'])
  expect(Object.entries(merged.gates)).toEqual([
    ['__proto__', true],
    ['A', true],
  ])
})

import type { ModuleLevel } from '../base/log.ts'
import { choiceFlag, listFlag, intFlag, type Flag } from './flags.ts'

const section = 'Logs'
const MODULE = /^([\w.*?-]{1,64})=(\d{1,2})$/

const vmodule: Flag<readonly string[]> = {
  ...listFlag({
    section,
    help: 'Log verbosity of parts of the program, such as http=3,audit*=4: a pattern with * and ? for the name of a part, and its level where that is above -v.',
  }),
  check(items) {
    const wrong = items.find((item) => !MODULE.test(item))
    return wrong === undefined ? null : `must be pattern=level, not ${JSON.stringify(wrong)}`
  },
}

/** Flags of the log of a program. `level` is the default verbosity, `help` says what levels log. */
export const logFlags = (level: string, help: string) => ({
  v: intFlag({ min: 0, max: 10 }, { section, short: 'v', default: level, help }),
  vmodule,
  'logging-format': choiceFlag(['text', 'json'], {
    section,
    default: 'text',
    help: 'Format of the log, which is written to standard error.',
  }),
})

/** The checked text of `--vmodule` as levels. */
export const moduleLevels = (items: readonly string[]): readonly ModuleLevel[] =>
  items.flatMap((item) => {
    const [, pattern, level] = MODULE.exec(item) ?? []
    return pattern === undefined ? [] : [{ pattern, level: Number(level) }]
  })

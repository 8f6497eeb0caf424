import { boolFlag } from './flags.ts'

/** Flags of every command. */
export const globalFlags = {
  help: boolFlag({ section: 'Global', short: 'h', help: 'Show help.' }),
  'help-all': boolFlag({ section: 'Global', help: 'Show help with every flag.' }),
  version: boolFlag({ section: 'Global', help: 'Show the version.' }),
}

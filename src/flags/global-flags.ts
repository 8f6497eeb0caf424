import { boolFlag, fileFlag, type Flag } from './flags.ts'

/** Whether, and how, the version is shown. */
const version: Flag<boolean | 'raw'> = {
  ...boolFlag({
    section: 'Global',
    help: 'Show the version; with --version=raw all about it, as JSON.',
  }),
  parse(text) {
    if (text === 'raw') return text
    return boolFlag({ section: '', help: '' }).parse(text)
  },
}

/** Flags of every command. */
export const globalFlags = {
  help: boolFlag({ section: 'Global', short: 'h', help: 'Show help.' }),
  'help-all': boolFlag({ section: 'Global', help: 'Show help with every flag.' }),
  version,
}

/** The file of the other flags. */
export const configFlag = {
  config: fileFlag({
    section: 'Global',
    help: 'File of flags: a YAML mapping of their names, without dashes in front, and their values. Flags that may be repeated take lists. Flags on the command line win.',
  }),
}

/** Flags in help texts. */
import type { FlagSpec, FlagSpecs } from './flags.ts'
import { globalFlags } from './global-flags.ts'

/** The flags that every command has. */
export const globalHelp = (): string =>
  ['The following options can be passed to any command:', '', ...flagLines(globalFlags)].join('\n')

/** Lines about flags. */
export function flagLines(specs: FlagSpecs): string[] {
  return Object.entries(specs).flatMap(([name, spec]) =>
    spec.isHidden
      ? []
      : [
          `    ${spec.short ? `-${spec.short}, ` : ''}--${name}=${shownDefault(spec)}:`,
          `        ${spec.help}`,
          '',
        ],
  )
}

function shownDefault({ type, default: value, bare }: FlagSpec): string {
  if (type === 'bool') return value ?? 'false'
  if (type === 'list' || type === 'array') return value === undefined ? '[]' : `[${value}]`
  if (type === 'int' || type === 'duration') return value ?? '0'
  return `'${value ?? ''}'${bare === undefined ? '' : `[='${bare}']`}`
}

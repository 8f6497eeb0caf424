/** Keeps docs/reference/flags.md true: `npx vitest run src/cli -u` writes it anew. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { controllerManagerFlags } from './commands/controller-manager-flags.ts'
import { serverFlags } from '../server/options/server-flags.ts'
import type { Flags } from '../flags/flags.ts'
import { sectionsOf, helpText } from '../flags/help.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'flags.md')

const INTRODUCTION = `# Flags

\`orch server\` and \`orch-apiserver\` take the same flags; in this release they do the same. Written \`--flag=value\` or
\`--flag value\`; underscores may stand for dashes; \`-v2\`, \`-v=2\` and \`-v 2\` are one. A flag that is unknown, malformed
or out of bounds ends the program before anything is touched. The last of several wins. The last column names the option
of \`startServer()\` that means the same, whose durations are milliseconds; those that no flag sets are told in its types.

Exit codes of every command: 0 when it did what was asked, also for a server that was asked to end and finished; 1 for
flags that cannot be understood, a start that fails and an end that fails; 128 and the number of the signal, such as 143, for
a server that a signal ended before it was ready, or at once since it was the second. What went wrong is one line on standard error; \`-v 4\` shows the causes of a failed start.

This page is written from the flags themselves: \`npx vitest run src/cli -u\`.
`

const MANAGER_PAGE = join(PAGE, '..', 'controller-manager-flags.md')

const MANAGER = `# Flags of the controller manager

\`orch-controller-manager\` runs the controllers of [controllers.md](../controllers.md) against a server elsewhere. Flags are
written as those of the [server](flags.md). Exit codes: 0 when it was asked to end and has; 1 for flags that cannot be
understood, files that cannot be used, and a lead that was lost.

This page is written from the flags themselves: \`npx vitest run src/cli -u\`.
`

const tablesOf = (flags: Flags, hasOptions: boolean): string =>
  sectionsOf(flags)
    .map(({ section, entries }) => {
      const rows = entries.map(
        ([name, { short, placeholder, default: standard, help, option }]) => {
          const spelling = `${short === undefined || short === name ? '' : `\`-${short}\`, `}\`--${name}\``
          const both = short === name ? `\`-${name}\`, ${spelling}` : spelling
          const value = (placeholder ?? '').replaceAll('|', '\\|')
          const shown = placeholder || standard === 'true' ? standard : ''
          const last = hasOptions ? ` ${option === undefined ? '' : `\`${option}\``} |` : ''
          return `| ${both} | ${value} | ${shown} | ${help} |${last}`
        },
      )
      const head = hasOptions
        ? '| flag | value | default | | option |\n| --- | --- | --- | --- | --- |'
        : '| flag | value | default | |\n| --- | --- | --- | --- |'
      return `\n## ${section}\n\n${head}\n${rows.join('\n')}\n`
    })
    .join('')

test('the pages list every flag', async () => {
  await expect(INTRODUCTION + tablesOf(serverFlags, true)).toMatchFileSnapshot(PAGE)
  await expect(MANAGER + tablesOf(controllerManagerFlags, false)).toMatchFileSnapshot(MANAGER_PAGE)
})

test('the help lists every flag, and no line is longer than 100', () => {
  const help = helpText({ about: 'About.', name: 'x', example: '', flags: serverFlags })
  expect([...help.matchAll(/^ {2}(?:-\w, | {4})--([\w-]+)/gm)].map(([, name]) => name)).toEqual(
    Object.keys(serverFlags),
  )
  expect(help.split('\n').filter((line) => line.length > 100)).toEqual([])
})

/** Checks that docs/reference/flags.md is current: `npx vitest run src/cli -u` regenerates it. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { controllerManagerFlags } from './commands/controller-manager-flags.ts'
import { serverFlags } from '../server/options/server-flags.ts'
import type { Flags } from '../flags/flags.ts'
import { sectionsOf, helpText } from '../flags/help.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'flags.md')

const INTRODUCTION = `# Flags

\`orch server\` and \`orch-apiserver\` have the same flags; in this release they do the same. Flags are written
\`--flag=value\` or \`--flag value\`. Underscores may replace dashes; \`-v2\`, \`-v=2\` and \`-v 2\` are equal. If a flag is
given several times the last one wins, unless it may be repeated. An unknown, malformed or out-of-range flag ends the
program before it does anything. The last column names the equivalent option of \`startServer()\`, whose durations are in
milliseconds; its TypeScript types describe the options without a flag.

Exit codes of every command: 0 for success, including a server that a signal stopped in order; 1 for invalid flags, a failed
start, a failed stop, or a server that a second signal stopped at once; 128 plus the number of the signal (143 for SIGTERM)
for a server that a signal stopped before it was ready. Errors are one line on standard error; \`-v 4\` adds the causes of a
failed start.

This page is generated from the flags: \`npx vitest run src/cli -u\`.
`

const MANAGER_PAGE = join(PAGE, '..', 'controller-manager-flags.md')

const MANAGER = `# Flags of the controller manager

\`orch-controller-manager\` runs the [controllers](../controllers.md) as a client of a server. Flags are written like those of
the [server](flags.md). Exit codes: 0 after a signal; 1 for invalid flags, unusable files and a lost leader election.

This page is generated from the flags: \`npx vitest run src/cli -u\`.
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
        ? '| flag | value | default | meaning | option |\n| --- | --- | --- | --- | --- |'
        : '| flag | value | default | meaning |\n| --- | --- | --- | --- |'
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

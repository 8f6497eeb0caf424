import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Work of controllers that a request waits for, which competes with others of its rank. */
const FOR_REQUESTS = ['garbage-picture.ts']

const PACE = /import \{[^}]*\bPace\b[^}]*\} from '[./]+base\/event-loop\.ts'/

test('work of controllers gives way to requests (docs/decisions/0120)', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  const found = files.filter(
    (file) =>
      /(?<!\.test|\.fixture)\.ts$/.test(file) &&
      PACE.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  )
  expect(found).toEqual(FOR_REQUESTS)
})

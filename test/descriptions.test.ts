/** What `kubectl explain` shows of every type and field: texts that an operator of a cluster can read. */
import { describe, expect, test } from 'vitest'
import type { Json } from '../src/openapi/document.ts'
import { documentsIn, type Documents } from './openapi/document.ts'

/** Fewer words than these name a thing and say nothing of it. */
const FEWEST_WORDS = 4

/** Words that nearly always mark a sentence which needs a second reading. */
const MARKERS: readonly RegExp[] = [
  /\bwhoever\b/i,
  /\b(?:some|no)body\b/i,
  /\bfares?\b/i,
  /\bstands?\b/i,
  /\b(?:is|are) told\b/i,
  /\bby itself\b/i,
  /\bof one's own\b/i,
  /\bbrings? along\b/i,
  /(?:^|[.:;] )what (?:is|are)\b/i,
  /\bgoes\b/i,
  /\bkept by\b/i,
  /\bby and by\b/i,
  /\broom\b/i,
  /\bduties\b/i,
  /\bcarried out\b/i,
]

interface Described {
  /** Name of the definition, with the property after it. */
  readonly at: string
  readonly text: string
}

/** Texts of all definitions and of their properties. */
function descriptions(schemas: Readonly<Record<string, Json>>): Described[] {
  return Object.entries(schemas).flatMap(([name, schema]) => described(name, schema))
}

function described(at: string, schema: Json): Described[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>)
  return [
    { at, text: String(schema.description ?? '') },
    ...properties.flatMap(([name, property]) => described(`${at}.${name}`, property)),
  ]
}

/** Texts of the parameters of all operations. */
function parameters({ v3 }: Documents): Described[] {
  return [...v3].flatMap(([place, { paths }]) =>
    Object.entries(paths).flatMap(([path, item]) =>
      [item, ...Object.values(item as Record<string, Json>)]
        .flatMap((holder) => (holder.parameters ?? []) as Json[])
        .map(({ name, description }) => ({
          at: `${place} ${path} ${String(name)}`,
          text: String(description ?? ''),
        })),
    ),
  )
}

const isObscure = (text: string) => MARKERS.some((marker) => marker.test(text))

describe.each(['orch', 'kubernetes'] as const)('descriptions of %s', (name) => {
  const documents = documentsIn(name)
  const all = descriptions(documents.schemas)
  const failing = (bad: (text: string) => boolean) =>
    all.filter(({ text }) => bad(text)).map(({ at, text }) => `${at}: ${text}`)

  test('all types and fields have one, of some words', () => {
    expect(all.length).toBeGreaterThan(2000)
    expect(failing((text) => text.split(/\s+/).length < FEWEST_WORDS)).toEqual([])
  })

  test('none needs a second reading', () => {
    expect(failing(isObscure)).toEqual([])
  })

  test('parameters have one that is as clear', () => {
    const bad = parameters(documents).filter(({ text }) => text === '' || isObscure(text))
    expect(bad).toEqual([])
  })
})

/** Generated checks find what the interpreter finds: in objects of every kind, whole and with parts of a former one. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkDeclared, declaredCheck } from '../catalogue/check.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import type { Holds, Shape } from '../notation/shape.ts'
import { orch } from '../vocabulary/orch.ts'
import { resources } from './index.ts'

const GENERATED = { resolve: (text: string) => orch.resolve(text), generates: 'at once' } as const
const DEPTH = 9

/** Values of closed sets, and others; now and then something that no decoder makes. */
function valueOf(holds: Holds, depth: number, oneOf?: readonly string[]): fc.Arbitrary<unknown> {
  if (oneOf) return fc.oneof(fc.constantFrom<unknown>(...oneOf), fc.constantFrom('', 'x', null))
  switch (holds.is) {
    case 'object':
      return depth <= 0 ? fc.constant({}) : objectOf(holds.to(), depth - 1)
    case 'list':
      return fc.array(valueOf(holds.of, depth), { maxLength: 2 })
    case 'map':
      return fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), valueOf(holds.of, depth))
    default:
      return fc.constantFrom<unknown>('', 'x', 7, null)
  }
}

/** Members that have closed sets in them are there more often than others. */
function objectOf(shape: Shape, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = [...shape.fields].flatMap(([name, facts]) =>
    facts.inline && facts.holds.is === 'object'
      ? [...facts.holds.to().fields]
      : ([[name, facts]] as const),
  )
  const chosen = fields.filter(
    ([, { holds, oneOf }]) => oneOf || holds.is === 'object' || holds.is === 'list',
  )
  return fc
    .subarray(chosen, { maxLength: Math.min(4, chosen.length) })
    .chain((some) =>
      fc.tuple(
        ...some.map(([name, { holds, oneOf }]) =>
          fc.tuple(fc.constant(name), valueOf(holds, depth, oneOf)),
        ),
      ),
    )
    .map((entries) => Object.fromEntries(entries))
}

function found(check: (errors: FieldErrors) => void): unknown {
  const errors = new FieldErrors()
  try {
    check(errors)
  } catch (error) {
    return String(error)
  }
  return errors.list
}

const kinds = resources.map(({ storage: { shape } }) => [shape.name, shape] as const)

test.each(kinds)('of a %s', (_name, shape) => {
  const check = declaredCheck(shape, GENERATED)
  const one = objectOf(shape, DEPTH)
  fc.assert(
    fc.property(one, fc.option(one, { nil: undefined }), fc.boolean(), (value, other, shares) => {
      // Members of the one before, as an update has them.
      const before = shares && other ? { ...value, ...other } : other
      const next = shares && other ? { ...other, ...value } : value
      expect(found((errors) => check(next, errors, before))).toEqual(
        found((errors) => checkDeclared(shape, next, errors, before)),
      )
    }),
    { numRuns: 100 },
  )
})

test('an object that passes is checked without the interpreter', () => {
  const { shape } = resources.find(({ plural }) => plural === 'pods')!.storage
  const check = declaredCheck(shape, GENERATED)
  const ports = [{ protocol: 'TCP' }, { protocol: 'LDP' }]
  const errors = new FieldErrors()
  check({ spec: { containers: [{ ports }] } }, errors)
  expect(errors.list.map(({ field }) => field)).toEqual(['spec.containers[0].ports[1].protocol'])
})

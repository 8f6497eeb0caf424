import { describe, expect, test } from 'vitest'
import { FieldErrors } from '../../meta/field-errors.ts'
import { texts } from '../hooks.fixture.ts'
import { validateScale } from './scale.ts'

describe('violations of a scale', () => {
  for (const [replicas, expected] of [
    [undefined, []],
    [0, []],
    [-1, ['Invalid spec.replicas: Invalid value: -1: must be greater than or equal to 0']],
  ] as const) {
    test(String(replicas), () => {
      const errors = new FieldErrors()
      const spec = replicas === undefined ? {} : { replicas }
      validateScale({ metadata: {}, spec, status: { replicas: 0 } }, errors)
      expect(texts(errors)).toEqual(expected)
    })
  }
})

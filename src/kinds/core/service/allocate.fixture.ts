import { expect } from 'vitest'
import { parseIpRange, parsePortRange, type ValueRange } from '../../../base/ip-range.ts'
import { FieldErrors } from '../../../meta/field-errors.ts'
import type { Allocation, Allocators } from '../../../catalogue/resource.ts'
import { c, problems, serviceOf, texts } from './service.fixture.ts'
import { type Service, services } from './service.ts'

/** Allocators that pick the lowest value that is free. */
function fakePools(
  ranges: readonly string[],
  held: readonly Allocation[] = [],
  ports = '30000-30009',
): Allocators {
  const families = ranges.map((text) => parseIpRange(text))
  const all = new Map<string, ValueRange>([
    ...families.map((range) => [`serviceips/${range.family}`, range] as const),
    ['servicenodeports', parsePortRange(ports)],
  ])
  const taken = new Set(held.map(({ allocator, value }) => `${allocator}/${value}`))
  const isFree = (allocator: string, value: string) => !taken.has(`${allocator}/${value}`)
  return {
    families: families.map(({ family }) => family),
    contains: (allocator, value) => (all.get(allocator)?.indexOf(value) ?? -1) !== -1,
    range: (allocator) => all.get(allocator)?.text,
    isFree,
    pick(allocator) {
      const range = all.get(allocator)!
      for (let i = 0; i < range.size; i++) {
        const value = range.at(i)
        if (!isFree(allocator, value)) continue
        taken.add(`${allocator}/${value}`)
        return value
      }
      return null
    },
  }
}

const V4 = ['10.0.0.0/29']
export const V6 = ['fd00::/120']
export const DUAL = [...V4, ...V6]
export const ipv4 = (value: string): Allocation => ({ allocator: 'serviceips/IPv4', value })
export const nodePort = (value: string): Allocation => ({ allocator: 'servicenodeports', value })

export interface Given {
  readonly next: object
  readonly old?: object
  readonly ranges?: readonly string[]
  readonly held?: readonly Allocation[]
  readonly ports?: string
}

/**
 * One write as the server performs it; the old service was created the same way and holds its
 * allocations.
 */
export function write(given: Given): { service: Service; errors: string[] } {
  const { next, old, ranges = V4, held = [], ports } = given
  const before = old ? serviceOf(old) : null
  const after = serviceOf(next)
  expect(problems(after, before)).toEqual([])
  const errors = new FieldErrors()
  const mine = before ? services.allocations!(before) : []
  services.allocate!(after, before, fakePools(ranges, [...held, ...mine], ports), errors, c)
  return { service: after, errors: texts(errors) }
}

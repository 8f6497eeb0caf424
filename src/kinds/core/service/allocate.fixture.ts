import { expect } from 'vitest'
import { parseIpRange, parsePortRange, type ValueRange } from '../../../base/ip-range.ts'
import { FieldErrors } from '../../../meta/field-errors.ts'
import type { Claim, Pools } from '../../../catalogue/resource.ts'
import { c, problems, serviceOf, texts } from './service.fixture.ts'
import { type Service, services } from './service.ts'

/** Pools that pick the lowest value that is free. */
function fakePools(
  ranges: readonly string[],
  held: readonly Claim[] = [],
  ports = '30000-30009',
): Pools {
  const families = ranges.map((text) => parseIpRange(text))
  const all = new Map<string, ValueRange>([
    ...families.map((range) => [`serviceips/${range.family}`, range] as const),
    ['servicenodeports', parsePortRange(ports)],
  ])
  const taken = new Set(held.map(({ pool, value }) => `${pool}/${value}`))
  const isFree = (pool: string, value: string) => !taken.has(`${pool}/${value}`)
  return {
    families: families.map(({ family }) => family),
    contains: (pool, value) => (all.get(pool)?.indexOf(value) ?? -1) !== -1,
    range: (pool) => all.get(pool)?.text,
    isFree,
    pick(pool) {
      const range = all.get(pool)!
      for (let i = 0; i < range.size; i++) {
        const value = range.at(i)
        if (!isFree(pool, value)) continue
        taken.add(`${pool}/${value}`)
        return value
      }
      return null
    },
  }
}

const V4 = ['10.0.0.0/29']
export const V6 = ['fd00::/120']
export const DUAL = [...V4, ...V6]
export const ipv4 = (value: string): Claim => ({ pool: 'serviceips/IPv4', value })
export const nodePort = (value: string): Claim => ({ pool: 'servicenodeports', value })

export interface Given {
  readonly next: object
  readonly old?: object
  readonly ranges?: readonly string[]
  readonly held?: readonly Claim[]
  readonly ports?: string
}

/** One write as the server does it; the old service was made by such a write and holds its claims. */
export function write(given: Given): { service: Service; errors: string[] } {
  const { next, old, ranges = V4, held = [], ports } = given
  const before = old ? serviceOf(old) : null
  const after = serviceOf(next)
  expect(problems(after, before)).toEqual([])
  const errors = new FieldErrors()
  const mine = before ? services.claims!(before) : []
  services.allocate!(after, before, fakePools(ranges, [...held, ...mine], ports), errors, c)
  return { service: after, errors: texts(errors) }
}

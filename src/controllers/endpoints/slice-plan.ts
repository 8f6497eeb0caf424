/** Which slices hold which endpoints: with few writes, and without moving endpoints between slices. */
import type { Endpoint, EndpointPort, EndpointSlice } from '../../kinds/discovery/endpoint-slice.ts'
import { sameValue } from '../../meta/field-errors.ts'

/** Endpoints with the same ports. */
export interface PortGroup {
  readonly ports: readonly EndpointPort[]
  readonly endpoints: readonly Endpoint[]
}

/** One slice as it should be. */
export interface PlannedSlice {
  /** As it is; null: there is none yet. */
  readonly slice: EndpointSlice | null
  readonly ports: readonly EndpointPort[]
  readonly endpoints: readonly Endpoint[]
  readonly isChanged: boolean
}

/** Slices of one service and address type. */
export interface SlicePlan {
  readonly slices: readonly PlannedSlice[]
  readonly deletes: readonly EndpointSlice[]
}

/** How slices are filled. */
export interface SliceLimits {
  /** Endpoints in one slice. */
  readonly most: number
  /** Whether an empty slice is kept where there are no endpoints. */
  readonly keepsOne: boolean
}

/** The slices for groups of endpoints, given those that exist. */
export function planSlices(
  existing: readonly EndpointSlice[],
  groups: readonly PortGroup[],
  { most, keepsOne }: SliceLimits,
): SlicePlan {
  const unused = new Set(existing)
  const slices = groups.flatMap(({ ports, endpoints }) => {
    const key = keyOfPorts(ports)
    const same = existing.filter((slice) => keyOfPorts(slice.ports ?? []) === key)
    const planned = planGroup(same, { ports, endpoints }, most)
    for (const { slice } of planned) if (slice) unused.delete(slice)
    return planned
  })
  if (slices.length === 0 && keepsOne) {
    const empty = existing.find(
      ({ ports = [], endpoints }) => ports.length === 0 && endpoints.length === 0,
    )
    if (empty) unused.delete(empty)
    slices.push({ slice: empty ?? null, ports: [], endpoints: [], isChanged: !empty })
  }
  return recycled({ slices, deletes: [...unused] })
}

/** Slices that would be deleted take what new ones would hold. */
function recycled({ slices, deletes }: SlicePlan): SlicePlan {
  const left = [...deletes]
  const reused = slices.map((planned) => {
    const slice = planned.slice ?? left.shift() ?? null
    return slice === planned.slice ? planned : { ...planned, slice }
  })
  return { slices: reused, deletes: left }
}

/** The slices of one group; existing ones that nothing is left in are left out. */
function planGroup(
  existing: readonly EndpointSlice[],
  { ports, endpoints }: PortGroup,
  most: number,
): PlannedSlice[] {
  const wanted = new Map(endpoints.map((endpoint) => [identityOf(endpoint), endpoint]))
  const filled = existing
    .map((slice) => ({ slice, ...kept(slice, wanted, most) }))
    .filter((one) => one.endpoints.length > 0)
  const rest = [...wanted.values()]
  for (const one of filled)
    if (one.isChanged) one.endpoints.push(...rest.splice(0, most - one.endpoints.length))
  const planned: Filled[] = filled
  while (rest.length > 0) {
    const target = rest.length < most ? fullestWithRoom(filled, rest.length, most) : undefined
    if (target) {
      target.endpoints.push(...rest.splice(0))
      target.isChanged = true
    } else planned.push({ slice: null, endpoints: rest.splice(0, most), isChanged: true })
  }
  return planned.map((one) => ({ ...one, ports }))
}

/** A slice while it is filled. */
interface Filled {
  readonly slice: EndpointSlice | null
  readonly endpoints: Endpoint[]
  isChanged: boolean
}

/** What remains of a slice; that is taken out of `wanted`. */
function kept(
  { endpoints }: EndpointSlice,
  wanted: Map<string, Endpoint>,
  most: number,
): Omit<Filled, 'slice'> {
  const left: Endpoint[] = []
  let isChanged = false
  for (const before of endpoints) {
    const identity = identityOf(before)
    const next = wanted.get(identity)
    if (!next || left.length === most) {
      isChanged = true
      continue
    }
    wanted.delete(identity)
    const { hints } = before
    const isSame = sameEndpoint(before, next)
    left.push(isSame ? before : { ...next, ...(hints ? { hints } : {}) })
    if (!isSame) isChanged = true
  }
  return { endpoints: left, isChanged }
}

/** Of the unchanged slices that have room for some more endpoints the fullest one. */
function fullestWithRoom(
  slices: readonly Filled[],
  count: number,
  most: number,
): Filled | undefined {
  return slices
    .filter(({ isChanged, endpoints }) => !isChanged && endpoints.length + count <= most)
    .sort((a, b) => b.endpoints.length - a.endpoints.length)[0]
}

/** Whether two endpoints differ in nothing but hints. */
function sameEndpoint(a: Endpoint, b: Endpoint): boolean {
  for (const [name, value] of Object.entries(a))
    if (name !== 'hints' && !sameValue(value, b[name as keyof Endpoint])) return false
  return Object.entries(b).every(([name, value]) => Object.hasOwn(a, name) || value === undefined)
}

/** What makes two endpoints the same one in different states. */
function identityOf({ addresses, hostname = '', targetRef }: Endpoint): string {
  const [only = '', ...others] = addresses
  const all = others.length === 0 ? only : [...addresses].sort().join(',')
  return `${all}|${hostname}|${targetRef?.namespace ?? ''}|${targetRef?.name ?? ''}`
}

/** The same for the same ports in any order. */
export const keyOfPorts = (ports: readonly EndpointPort[]): string =>
  JSON.stringify(
    ports
      .map(({ name = '', protocol = 'TCP', port = 0, appProtocol = '' }) =>
        JSON.stringify([name, protocol, port, appProtocol]),
      )
      .sort(),
  )

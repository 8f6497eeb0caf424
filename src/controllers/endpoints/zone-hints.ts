/** Hints that keep traffic in its zone, while each zone has endpoints in proportion to its processors. */
import type { Endpoint } from '../../kinds/discovery/endpoint-slice.ts'
import type { ZoneShares } from './node-zones.ts'
import type { PlannedSlice } from './slice-plan.ts'

/** How much more than its share an endpoint may have to serve, before a zone takes endpoints of others. */
const OVERLOAD = 0.2

/** The slices with the hints that their endpoints should have; with none where a distribution is not possible. */
export function withHints(
  slices: readonly PlannedSlice[],
  shares: ZoneShares | null,
): PlannedSlice[] {
  const ready = slices.flatMap(({ endpoints }) =>
    endpoints.filter(({ conditions }) => conditions.ready === true),
  )
  const zones = shares ? distributed(ready, shares) : null
  return slices.map((planned) => ({
    ...planned,
    endpoints: planned.endpoints.map((endpoint) => withZone(endpoint, zones?.get(endpoint))),
  }))
}

function withZone(endpoint: Endpoint, zone: string | undefined): Endpoint {
  const { hints, ...rest } = endpoint
  if (zone === undefined) return hints ? rest : endpoint
  return { ...rest, hints: { forZones: [{ name: zone }] } }
}

/** A zone while endpoints are distributed. */
interface Zone {
  readonly name: string
  /** Its share, in endpoints. */
  readonly desired: number
  readonly least: number
  readonly endpoints: Endpoint[]
}

/**
 * The zone that each endpoint should serve: mostly its own. Zones with too few of them take some of those with the most
 * to spare. Null where there are fewer endpoints than zones, or some have no zone.
 */
function distributed(
  ready: readonly Endpoint[],
  shares: ZoneShares,
): ReadonlyMap<Endpoint, string> | null {
  const zones = [...shares].map(([name, share]): Zone => {
    const desired = share * ready.length
    return { name, desired, least: Math.ceil(desired / (1 + OVERLOAD)), endpoints: [] }
  })
  const needed = zones.reduce((sum, { least }) => sum + least, 0)
  const isPossible = zones.length <= ready.length && needed <= ready.length
  if (!isPossible || ready.some(({ zone = '' }) => zone === '')) return null
  const byName = new Map(zones.map((zone) => [zone.name, zone]))
  /** Those in zones without nodes that count. */
  const homeless: Endpoint[] = []
  for (const endpoint of ready) (byName.get(endpoint.zone!)?.endpoints ?? homeless).push(endpoint)
  for (const zone of zones)
    while (zone.endpoints.length < zone.least)
      zone.endpoints.push(taken(homeless.length > 0 ? homeless : mostToSpare(zones), zone.name))
  for (const endpoint of homeless) leastServed(zones).endpoints.push(endpoint)
  return new Map(
    zones.flatMap(({ name, endpoints }) => endpoints.map((one) => [one, name] as const)),
  )
}

/** Takes an endpoint, one that has served this zone before where there is one. */
function taken(endpoints: Endpoint[], zone: string): Endpoint {
  const served = endpoints.findIndex(
    ({ hints }) => hints?.forZones?.some(({ name }) => name === zone) === true,
  )
  return endpoints.splice(served === -1 ? endpoints.length - 1 : served, 1)[0]!
}

/** Endpoints of the zone that has most more than its share, and can give one away. */
const mostToSpare = (zones: readonly Zone[]): Endpoint[] =>
  zones
    .filter(({ endpoints, least }) => endpoints.length > least)
    .reduce((a, b) => (spare(b) > spare(a) ? b : a)).endpoints

const leastServed = (zones: readonly Zone[]): Zone =>
  zones.reduce((a, b) => (spare(b) < spare(a) ? b : a))

const spare = ({ endpoints, desired }: Zone): number => endpoints.length - desired

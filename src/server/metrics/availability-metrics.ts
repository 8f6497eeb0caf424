import type { AvailabilityControllerParts } from '../../aggregation/availability-controller.ts'
import { unavailableApiService, unavailableApiServices } from '../../metrics/declared/clients.ts'
import type { Registry } from '../../metrics/registry.ts'

/** Shows which API services are unavailable. */
export const availabilityMetrics = (
  registry: Registry,
): Required<Pick<AvailabilityControllerParts, 'onChecked' | 'onGone'>> => ({
  onChecked(name, { status, reason }, isChange) {
    const isAvailable = status === 'True'
    registry
      .of(unavailableApiService)
      .with({ name })
      .set(isAvailable ? 0 : 1)
    if (!isAvailable && isChange) registry.of(unavailableApiServices).with({ name, reason }).inc()
  },
  onGone: (name) => registry.of(unavailableApiService).remove({ name }),
})

import { IterationQueue } from '../../base/iteration-queue.ts'
import { serviceAllocators } from '../../registry/allocations.ts'
import { celMetrics } from '../metrics/cel-metrics.ts'
import { allocationMetrics } from '../metrics/service-metrics.ts'
import { KeyedMutex, type Api } from '../../registry/context.ts'
import { FirstForms } from '../../patch/first-forms.ts'
import { HotObjects } from '../../registry/hot-objects.ts'
import { RepeatedCreates } from '../../registry/repeated-creates.ts'
import { RepeatedWrites } from '../../registry/repeated-writes.ts'
import { UnchangedWrites } from '../../registry/unchanged-writes.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

const MIN_REQUEST_TIMEOUT_MS = 1_800_000

/**
 * The dependencies of the verbs. Admission and access control are built from it, and resolved when a request arrives.
 */
export const api = (settings: Settings) =>
  component({
    name: 'api',
    needs: ['store', 'catalogue', 'cache', 'audit'],
    later: ['admission', 'authorization', 'authentication'],
    async start(parts) {
      const { trail } = parts.audit
      const recorded = trail && (await import('../../loopback/own-writes.ts'))
      const { options, inside, v, clock, ids, gate, ranges, metrics, egress } = settings
      const { encrypted } = parts.store
      const part: Api = {
        v,
        clock,
        ids,
        cache: parts.cache,
        largeWork: new IterationQueue(),
        catalogue: parts.catalogue,
        get admission() {
          return parts.admission.chain
        },
        gate,
        allowPrivileged: options.allowPrivileged ?? false,
        agentTls: options.agentTls ?? {},
        ...(options.agentAddressTypes ? { agentAddressTypes: options.agentAddressTypes } : {}),
        proxiesToLoopback: options.proxiesToLoopback ?? false,
        ...(egress.cluster ? { dial: egress.cluster } : {}),
        allocators: serviceAllocators(ranges.addresses, ranges.ports, allocationMetrics(metrics)),
        took: celMetrics(metrics),
        authorizer: {
          authorize: (user, asked) => parts.authorization.authorizer.authorize(user, asked),
          rulesFor: (user, namespace) => parts.authorization.authorizer.rulesFor(user, namespace),
        },
        closestRule: (user, asked) => parts.authorization.closest(user, asked),
        get guards() {
          return parts.authorization.guards
        },
        ...(encrypted ? { isStale: (key: string) => encrypted.isStale(key) } : {}),
        get tokens() {
          return parts.authentication.serviceAccounts.issuer
        },
        authenticateToken: (token, audiences) => parts.authentication.review(token, audiences),
        minRequestTimeoutMs: options.minRequestTimeoutMs ?? MIN_REQUEST_TIMEOUT_MS,
        mutex: new KeyedMutex(),
        ...(trail && recorded ? { ownWrites: recorded.ownWrites(() => part, trail) } : {}),
        ...(inside.plainWrites ? {} : writeMemory()),
      }
      inside.made?.({ api: part, catalogue: parts.catalogue })
      return { part }
    },
  })

/** What writes leave for the next ones, each bounded. */
const writeMemory = () => ({
  hot: new HotObjects(),
  unchanged: new UnchangedWrites(),
  repeated: new RepeatedWrites(),
  repeatedCreates: new RepeatedCreates(),
  forms: new FirstForms(),
})

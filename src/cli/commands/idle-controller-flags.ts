/**
 * Flags of controllers that this release does not have. They are accepted and checked, so that command lines of the
 * reference work.
 */
import {
  boolFlag,
  durationFlag,
  intFlag,
  onFlag,
  optionalTextFlag,
  orNone,
  type Flag,
} from '../../flags/flags.ts'
import { API_CONTENT_TYPE } from './api-flags.ts'

const section = 'Without effect'
const HELP = 'Accepted without effect.'
const MAX_INTEGER = 2 ** 31 - 1

const period = (standard: string): Flag<number> =>
  orNone(durationFlag({ section, default: standard, help: HELP }))
const count = (standard: string): Flag<number> =>
  intFlag({ min: 0, max: MAX_INTEGER }, { section, default: standard, help: HELP })

/** A number that is not negative. */
const rate = (standard: string): Flag<number> => ({
  section,
  default: standard,
  help: HELP,
  placeholder: 'float',
  parse(text) {
    if (!/^\d+(\.\d+)?$/.test(text)) throw new Error('must be a number')
    return Number(text)
  },
})

/** Flags without effect. */
export const idleControllerFlags = {
  'concurrent-deployment-syncs': count('5'),
  'concurrent-replicaset-syncs': count('5'),
  'concurrent-service-syncs': count('1'),
  'concurrent-statefulset-syncs': count('5'),
  'concurrent-rc-syncs': count('5'),
  'enable-hostpath-provisioner': boolFlag({ section, help: HELP }),
  'horizontal-pod-autoscaler-sync-period': period('15s'),
  'horizontal-pod-autoscaler-tolerance': rate('0.1'),
  'horizontal-pod-autoscaler-downscale-stabilization': period('5m'),
  'horizontal-pod-autoscaler-cpu-initialization-period': period('5m'),
  'horizontal-pod-autoscaler-initial-readiness-delay': period('30s'),
  [API_CONTENT_TYPE]: optionalTextFlag({
    section,
    default: 'application/json',
    help: 'Accepted without effect: requests are JSON.',
  }),
  'min-resync-period': period('12h'),
  profiling: onFlag({ section, help: HELP }),
  'cluster-name': optionalTextFlag({ section, help: HELP }),
  'allocate-node-cidrs': boolFlag({ section, help: HELP }),
} as const

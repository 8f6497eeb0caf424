/** Flags of the reference that have no effect here, or only one allowed value; they are there for scripts that pass them. */
import {
  boolFlag,
  choiceFlag,
  durationFlag,
  intFlag,
  listFlag,
  onFlag,
  optionalTextFlag,
  orNone,
  type Flag,
} from '../../flags/flags.ts'

const section = 'Without effect'
const MOST = 2_147_483_647

const period = (help: string, byDefault: string) =>
  orNone(durationFlag({ section, default: byDefault, help }))

/** Refuses all values but the default, as the others would not be obeyed. */
const only = <T>(flag: Flag<T>, isDefault: (value: T) => boolean, why: string): Flag<T> => ({
  ...flag,
  check: (value) => (isDefault(value) ? null : why),
})

const COUNTED = 'Objects and sizes are counted when the metrics are read.'

export const compatibilityFlags = {
  'apiserver-count': intFlag(
    { min: 1, max: MOST },
    { section, default: '1', help: 'Servers are counted by their leases.' },
  ),
  'contention-profiling': boolFlag({ section, help: 'The runtime has no locks to profile.' }),
  'delete-collection-workers': intFlag(
    { min: 1, max: MOST },
    {
      section,
      default: '1',
      help: 'Collections are deleted in one process that needs no workers.',
    },
  ),
  'etcd-count-metric-poll-period': period(COUNTED, '1m'),
  'etcd-db-metric-poll-interval': period(COUNTED, '30s'),
  'etcd-servers-overrides': only(
    listFlag({
      section,
      help: 'Must be empty: all objects have one store, and one order of changes.',
    }),
    (overrides) => overrides.length === 0,
    'must be empty: all objects have one store, and one order of changes',
  ),
  'log-flush-frequency': period('The log is written at once.', '5s'),
  'max-connection-bytes-per-sec': only(
    intFlag(
      { min: 0, max: MOST },
      { section, default: '0', help: 'Must be 0: connections are not throttled.' },
    ),
    (bytes) => bytes === 0,
    'must be 0: connections are not throttled',
  ),
  'nodeagent-timeout': period(
    'Requests to node agents take as long as the requests that cause them.',
    '5s',
  ),
  'storage-backend': choiceFlag(['', 'etcd3'], {
    section,
    default: '',
    help: 'The store is chosen by --store and --etcd-servers.',
  }),
  'storage-media-type': optionalTextFlag({
    section,
    help: 'Records have a format of their own.',
  }),
  'watch-cache': onFlag({ section, help: 'Reads are always served from memory.' }),
  'watch-cache-sizes': listFlag({ section, help: 'Memory holds the history of --history-window.' }),
}

import { describe, expect, test } from 'vitest'
import { FlagError, parseFlags } from '../../flags/flags.ts'
import { compatibilityFlags } from './compatibility-flags.ts'

describe('flags without effect', () => {
  test.each([
    ...['apiserver-count=3', 'contention-profiling', 'delete-collection-workers=4'],
    ...['etcd-count-metric-poll-period=0', 'etcd-servers-overrides='],
    ...['etcd-db-metric-poll-interval=1m'],
    ...['log-flush-frequency=5s', 'max-connection-bytes-per-sec=0', 'nodeagent-timeout=5s'],
    ...['storage-backend=etcd3', 'storage-media-type=application/json', 'watch-cache=false'],
    ...['watch-cache-sizes=pods#0,nodes#1'],
  ])('--%s is accepted', (flag) => {
    expect(() => parseFlags(compatibilityFlags, [`--${flag}`])).not.toThrow()
  })

  test.each([
    ['apiserver-count=0', /--apiserver-count/],
    ['etcd-servers-overrides=/events#http://a:1', /must be empty: all objects have one store/],
    ['log-flush-frequency=x', /--log-flush-frequency/],
    ['max-connection-bytes-per-sec=1', /must be 0: connections are not throttled/],
    ['storage-backend=etcd2', /must be one of/],
  ])('--%s is refused', (flag, why) => {
    const read = () => parseFlags(compatibilityFlags, [`--${flag}`])
    expect(read).toThrow(FlagError)
    expect(read).toThrow(why)
  })
})

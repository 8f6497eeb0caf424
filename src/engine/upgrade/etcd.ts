/** Converts data of format 1 in etcd to today's format, key by key. */
import { Connection, type ConnectionOptions } from '../etcd/connection.ts'
import { Layout } from '../etcd/layout.ts'
import { decodeTxn, encodeTxn, type KeyValue } from '../etcd/messages.ts'
import { readRange } from '../etcd/reads.ts'
import { upgradeItem, type Format1 } from './format-1.ts'

export interface EtcdUpgrade extends ConnectionOptions {
  /** Prefix of all keys, for instance `/registry`. */
  readonly prefix: string
  readonly from: Format1
}

const PAGE = 200

/** Paths of resources that were not kept under their name. */
const PATHS: readonly (readonly [path: string, plural: string])[] = [
  ['services/endpoints/', 'endpoints'],
  ['services/specs/', 'services'],
  ['controllers/', 'replicationcontrollers'],
  ['ingress/', 'ingresses'],
  ['minions/', 'nodes'],
]

/**
 * Moves every key of format 1, each in one transaction; leases stay. Keys of today's form are passed over, so that one
 * that was broken off can be made again. No server may run. Resolves with how many objects were moved.
 */
export async function upgradeEtcd(upgrade: EtcdUpgrade): Promise<number> {
  const layout = new Layout(upgrade.prefix)
  const connection = new Connection(upgrade)
  let moved = 0
  try {
    let next: string | undefined = layout.root
    while (next !== undefined) {
      const page = await readRange(connection, { key: next, end: layout.end, limit: PAGE })
      for (const kv of page.items) if (await move(kv, connection, layout, upgrade.from)) moved++
      next = page.more && page.items.length > 0 ? `${page.items.at(-1)!.key}\0` : undefined
    }
    return moved
  } finally {
    connection.close()
  }
}

async function move(
  kv: KeyValue,
  connection: Connection,
  layout: Layout,
  from: Format1,
): Promise<boolean> {
  const old = oldKeyOf(kv.key.slice(layout.root.length), from)
  if (old === null || kv.key === layout.marker) return false
  const item = upgradeItem({ ...kv, key: old }, from)
  const lease = kv.lease === '0' ? {} : { lease: kv.lease }
  const { succeeded } = await connection.call({
    method: '/etcdserverpb.KV/Txn',
    request: encodeTxn({
      compare: [{ key: kv.key, changed: kv.changed }],
      writes: [
        ...(item ? [{ key: layout.toEtcd(item.key), value: item.value, ...lease }] : []),
        { key: kv.key, value: null },
      ],
      read: [],
    }),
    decode: decodeTxn,
    writes: true,
  })
  if (!succeeded) throw new Error(`${kv.key} was changed meanwhile: stop all servers and try again`)
  return item !== null
}

/** The key of format 1 that is below the root; null for one of today's. */
function oldKeyOf(rest: string, { isOld }: Format1): string | null {
  for (const [path, plural] of PATHS)
    if (rest.startsWith(path)) return `/${plural}/${rest.slice(path.length)}`
  const slash = rest.indexOf('/')
  return slash !== -1 && isOld(rest.slice(0, slash)) ? `/${rest}` : null
}

/** Flags of the stand-in for etcd. */
import { boolFlag, listFlag, optionalTextFlag, textFlag } from '../flags/flags.ts'
import { globalFlags } from '../flags/global-flags.ts'
import { namedFlags } from './known-flags.ts'

const section = 'Member'

/** Those that it acts on, or whose meaning it fulfils. */
export const etcdFlags = {
  name: textFlag({ section, default: 'default', help: 'Name of the member.' }),
  'data-dir': optionalTextFlag({
    section,
    help: 'Data directory, in which the server keeps its objects. Defaults to NAME.etcd.',
  }),
  'listen-client-urls': listFlag({
    section,
    default: 'http://localhost:2379',
    help: 'URLs that answer health checks and the server.',
  }),
  'advertise-client-urls': listFlag({ section, help: 'Accepted: there is one member.' }),
  'listen-peer-urls': listFlag({ section, help: 'Accepted: there are no peers.' }),
  'initial-advertise-peer-urls': listFlag({ section, help: 'Accepted: there are no peers.' }),
  'initial-cluster': optionalTextFlag({ section, help: 'Accepted: there are no peers.' }),
  'unsafe-no-fsync': boolFlag({ section, help: 'Accepted: writes are never flushed.' }),
  help: globalFlags.help,
  version: globalFlags.version,
}

/** The others of release 3.5. */
export const ignoredEtcdFlags = namedFlags(`
  auth-token= auth-token-ttl= auto-compaction-mode= auto-compaction-retention= auto-tls backend-batch-interval=
  backend-batch-limit= backend-bbolt-freelist-type= bcrypt-cost= cert-file= cipher-suites= client-cert-allowed-hostname=
  client-cert-auth client-crl-file= config-file= cors= discovery= discovery-fallback= discovery-proxy= discovery-srv=
  discovery-srv-name= election-timeout= enable-grpc-gateway enable-pprof enable-v2 enable-log-rotation
  experimental-bootstrap-defrag-threshold-megabytes= experimental-compact-hash-check-enabled
  experimental-compact-hash-check-time= experimental-compaction-batch-limit= experimental-corrupt-check-time=
  experimental-distributed-tracing-address= experimental-distributed-tracing-instance-id=
  experimental-distributed-tracing-service-name= experimental-enable-distributed-tracing
  experimental-enable-lease-checkpoint experimental-enable-lease-checkpoint-persist experimental-enable-v2v3=
  experimental-initial-corrupt-check experimental-max-learners= experimental-memory-mlock
  experimental-peer-skip-client-san-verification experimental-txn-mode-write-with-shared-buffer
  experimental-wait-cluster-ready-timeout= experimental-warning-apply-duration=
  experimental-warning-unary-request-duration= experimental-watch-progress-notify-interval= force-new-cluster
  grpc-keepalive-interval= grpc-keepalive-min-time= grpc-keepalive-timeout= heartbeat-interval= host-whitelist=
  initial-cluster-state= initial-cluster-token= initial-election-tick-advance key-file= listen-metrics-urls= log-level=
  log-outputs= log-rotation-config-json= logger= max-concurrent-streams= max-request-bytes= max-snapshots= max-txn-ops=
  max-wals= metrics= peer-auto-tls peer-cert-allowed-cn= peer-cert-allowed-hostname= peer-cert-file=
  peer-client-cert-auth peer-client-cert-file= peer-client-key-file= peer-crl-file= peer-key-file= peer-trusted-ca-file=
  pre-vote proxy= proxy-dial-timeout= proxy-failure-wait= proxy-read-timeout= proxy-refresh-interval=
  proxy-write-timeout= quota-backend-bytes= self-signed-cert-validity= snapshot-count= socket-reuse-address
  socket-reuse-port strict-reconfig-check tls-max-version= tls-min-version= trusted-ca-file= v2-deprecation= wal-dir=
`)

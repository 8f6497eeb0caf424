import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** Runs a command in the container. Exit code 0 means success. */
export class ExecAction extends shape({
  /**
   * Command and its arguments, run without a shell in the root directory of the container.
   * Required.
   */
  command: t.list(1, 'string'),
}) {}

/** A header of an HTTP request. */
export class HTTPHeader extends shape({
  /** Name of the header. Required; names may repeat. */
  name: t.string(1).required(),
  /** Value of the header as it is sent. Required. */
  value: t.string(2).required(),
}) {}

/** Sends an HTTP GET request. Status codes from 200 to 399 mean success. */
export class HTTPGetAction extends shape({
  /** Path of the request. Defaults to `/`. */
  path: t.string(1).default('/'),
  /** Port of the container, as a number from 1 to 65535 or the name of a port. Required. */
  port: t.intOrString(2).required(),
  /** Host to connect to. Defaults to the IP address of the pod. */
  host: t.string(3),
  /** Protocol of the request: `HTTP` or `HTTPS`. Defaults to `HTTP`. */
  scheme: t.string(4).oneOf('HTTP', 'HTTPS').default('HTTP'),
  /** Additional headers of the request. */
  httpHeaders: t.list(5, HTTPHeader),
}) {}

/** Opens a TCP connection. An established connection means success. */
export class TCPSocketAction extends shape({
  /** Port of the container, as a number from 1 to 65535 or the name of a port. Required. */
  port: t.intOrString(1).required(),
  /** Host to connect to. Defaults to the IP address of the pod. */
  host: t.string(2),
}) {}

/** Calls the gRPC health checking service of the container. */
export class GRPCAction extends shape({
  /** Port number of the gRPC service, 1 to 65535. Required. */
  port: t.int32(1).required(),
  /**
   * Name of the service in the health request. Defaults to the empty string, which checks the
   * server as a whole.
   */
  service: t.string(2).explicit().default(''),
}) {}

/** Action of a probe. Exactly one member must be set. */
export class ProbeHandler extends shape({
  /** Runs a command in the container. */
  exec: t.object(1, ExecAction).explicit(),
  /** Sends an HTTP GET request to the container. */
  httpGet: t.object(2, HTTPGetAction).explicit(),
  /** Opens a TCP connection to the container. */
  tcpSocket: t.object(3, TCPSocketAction).explicit(),
  /** Calls the gRPC health checking service of the container. */
  grpc: t.object(4, GRPCAction).explicit(),
}) {}

/** A periodic health check of a container. */
export class Probe extends shape({
  handler: t.inline(1, ProbeHandler),
  /** Seconds between the start of the container and the first check. Defaults to 0. */
  initialDelaySeconds: t.int32(2),
  /** Seconds after which a single check fails. Defaults to 1. */
  timeoutSeconds: t.int32(3).default(1),
  /** Seconds between two checks. Defaults to 10. */
  periodSeconds: t.int32(4).default(10),
  /**
   * Consecutive successes after a failure before the probe counts as successful. Defaults to 1, and
   * must be 1 for liveness and startup probes.
   */
  successThreshold: t.int32(5).default(1),
  /** Consecutive failures after a success before the probe counts as failed. Defaults to 3. */
  failureThreshold: t.int32(6).default(3),
  /**
   * Seconds that the container gets to stop when this probe fails. Must be positive; defaults to
   * that of the pod. Not allowed for readiness probes.
   */
  terminationGracePeriodSeconds: t.int64(7).explicit(),
}) {}

/** Action of a lifecycle hook. Exactly one member must be set. */
export class LifecycleHandler extends shape({
  /** Runs a command in the container. */
  exec: t.object(1, ExecAction).explicit(),
  /** Sends an HTTP GET request to the container. */
  httpGet: t.object(2, HTTPGetAction).explicit(),
  /** Deprecated and without effect; accepted for compatibility with older objects. */
  tcpSocket: t.object(3, TCPSocketAction).explicit(),
}) {}

/** Hooks that run at the start and the end of a container. */
export class Lifecycle extends shape({
  /**
   * Hook that runs immediately after the container is created. If it fails, the container is
   * stopped and restarted according to its restart policy.
   */
  postStart: t.object(1, LifecycleHandler).explicit(),
  /**
   * Hook that runs before a container is stopped because of a deletion or a failed probe. Its
   * duration counts towards the termination grace period.
   */
  preStop: t.object(2, LifecycleHandler).explicit(),
}) {}

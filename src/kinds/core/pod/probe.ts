import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** Runs a command in the container; exit status 0 is success. */
export class ExecAction extends shape({
  /** The command and its arguments, started without a shell, in the container's root directory. */
  command: t.list(1, 'string'),
}) {}

/** A header of an HTTP request; names may repeat. */
export class HTTPHeader extends shape({
  /** Name of the header. */
  name: t.string(1).required(),
  /** Its value. */
  value: t.string(2).required(),
}) {}

/** Makes an HTTP GET request; a status from 200 to 399 is success. */
export class HTTPGetAction extends shape({
  /** Path to ask for. */
  path: t.string(1).default('/'),
  /** Port of the container, by number or by name. */
  port: t.intOrString(2).required(),
  /** Host to connect to; the address of the pod when empty. */
  host: t.string(3),
  /** Protocol. */
  scheme: t.string(4).oneOf('HTTP', 'HTTPS').default('HTTP'),
  /** Headers to send. */
  httpHeaders: t.list(5, HTTPHeader),
}) {}

/** Opens a TCP connection. */
export class TCPSocketAction extends shape({
  /** Port of the container, by number or by name. */
  port: t.intOrString(1).required(),
  /** Host to connect to; the address of the pod when empty. */
  host: t.string(2),
}) {}

/** Asks the gRPC health service. */
export class GRPCAction extends shape({
  /** Port of the service. */
  port: t.int32(1).required(),
  /** Name of the service to ask about; empty asks about the server as a whole. */
  service: t.string(2).explicit().default(''),
}) {}

/** What a probe does; exactly one of its members is set. */
export class ProbeHandler extends shape({
  /** Runs a command. */
  exec: t.object(1, ExecAction).explicit(),
  /** Makes an HTTP request. */
  httpGet: t.object(2, HTTPGetAction).explicit(),
  /** Opens a TCP connection. */
  tcpSocket: t.object(3, TCPSocketAction).explicit(),
  /** Asks the gRPC health service. */
  grpc: t.object(4, GRPCAction).explicit(),
}) {}

/** Looks again and again whether a container is well. */
export class Probe extends shape({
  handler: t.inline(1, ProbeHandler),
  /** Seconds from the start of the container to the first look. */
  initialDelaySeconds: t.int32(2),
  /** Seconds after which a look has failed. */
  timeoutSeconds: t.int32(3).default(1),
  /** Seconds between looks. */
  periodSeconds: t.int32(4).default(10),
  /** Successes in a row after a failure that make it well again. */
  successThreshold: t.int32(5).default(1),
  /** Failures in a row that make it fail. */
  failureThreshold: t.int32(6).default(3),
  /** Seconds to end in when this probe fails; those of the pod unless set. Above zero. */
  terminationGracePeriodSeconds: t.int64(7).explicit(),
}) {}

/** What is done at a turn of a container's life; exactly one of its members is set. */
export class LifecycleHandler extends shape({
  /** Runs a command. */
  exec: t.object(1, ExecAction).explicit(),
  /** Makes an HTTP request. */
  httpGet: t.object(2, HTTPGetAction).explicit(),
  /** Has no effect; kept for older objects. */
  tcpSocket: t.object(3, TCPSocketAction).explicit(),
}) {}

/** What is done after a container starts and before it is stopped. */
export class Lifecycle extends shape({
  /** Done right after the start; a failure ends the container. */
  postStart: t.object(1, LifecycleHandler).explicit(),
  /** Done before the container is told to stop; it counts against the grace period. */
  preStop: t.object(2, LifecycleHandler).explicit(),
}) {}

import type { FieldErrors } from '../../../meta/field-errors.ts'
import {
  isHttpHeaderName,
  isPortName,
  isPortNumber,
  NEGATIVE_MESSAGE,
} from '../../../meta/names.ts'
import { needText } from '../volumes/paths.ts'
import type {
  GRPCAction,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  ProbeHandler,
} from './probe.ts'

const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const

/** Validates the rules that all probes share; reports to `errors`. */
export function validateProbe(probe: Probe, errors: FieldErrors): void {
  validateHandler(probe, errors)
  for (const name of COUNTS) {
    const count = probe[name] ?? 0
    if (count < 0) errors.at(name).invalid(count, NEGATIVE_MESSAGE)
  }
  const grace = probe.terminationGracePeriodSeconds
  if (grace !== undefined && grace <= 0) {
    errors.at('terminationGracePeriodSeconds').invalid(grace, 'must be greater than 0')
  }
}

/** Validates lifecycle hooks; reports to `errors`. */
export function validateLifecycle({ postStart, preStop }: Lifecycle, errors: FieldErrors): void {
  if (postStart) validateHandler(postStart, errors.at('postStart'))
  if (preStop) validateHandler(preStop, errors.at('preStop'))
}

function validateHandler(handler: ProbeHandler | LifecycleHandler, errors: FieldErrors): void {
  const { exec, httpGet, tcpSocket, grpc }: ProbeHandler = handler
  let found = false
  const first = (name: string): boolean => {
    if (found) errors.at(name).forbidden('may not specify more than 1 handler type')
    const isFirst = !found
    found = true
    return isFirst
  }
  if (exec && first('exec') && !exec.command?.length) errors.at('exec', 'command').required()
  if (httpGet && first('httpGet')) validateHttpGet(httpGet, errors.at('httpGet'))
  if (tcpSocket && first('tcpSocket')) validatePort(tcpSocket.port, errors.at('tcpSocket', 'port'))
  if (grpc && first('grpc')) validateGrpc(grpc, errors.at('grpc'))
  if (!found) errors.required('must specify a handler type')
}

function validateHttpGet(
  { path, port, scheme, httpHeaders }: HTTPGetAction,
  errors: FieldErrors,
): void {
  needText(path, errors.at('path'))
  validatePort(port, errors.at('port'))
  if (!scheme) errors.at('scheme').notSupported('', ['HTTP', 'HTTPS'])
  httpHeaders?.forEach(({ name }, i) => {
    errors.at('httpHeaders', i, 'name').invalidAll(name, isHttpHeaderName(name))
  })
}

const validateGrpc = ({ port }: GRPCAction, errors: FieldErrors): void =>
  validatePort(port, errors.at('port'))

function validatePort(port: number | string, errors: FieldErrors): void {
  errors.invalidAll(port, typeof port === 'number' ? isPortNumber(port) : isPortName(port))
}

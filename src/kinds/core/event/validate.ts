import { checkFinalizerDomains } from '../../../meta/check-metadata.ts'
import { type FieldErrors } from '../../../meta/field-errors.ts'
import { isDns1123Subdomain, isQualifiedName } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import type { Event } from './event.ts'

const MAX_WORD = 128
const MAX_MESSAGE = 1024
const TYPES = ['Normal', 'Warning']

/** Whether the request uses the events group, whose rules are strict. */
const isStrict = ({ groupVersion, v }: HookContext): boolean =>
  groupVersion === v.resolve('events{api}/v1')

/** Validates an event. The additional rules of the events group apply on create only. */
export function validateEvent(
  event: Event,
  errors: FieldErrors,
  c: HookContext,
  old?: Event,
): void {
  validateCommon(event, errors, c)
  if (!old && isStrict(c)) validateStrict(event, errors, c)
}

function validateCommon(event: Event, errors: FieldErrors, c: HookContext): void {
  const { namespace = '' } = event.metadata
  const about = event.involvedObject.namespace ?? ''
  if (!isInPlace(event, namespace, about, c)) {
    errors.at('involvedObject', 'namespace').invalid(about, 'does not match event.namespace')
  }
  if (event.eventTime !== undefined) validateReport(event, errors, c)
  errors.at('namespace').invalidAll(namespace, isDns1123Subdomain(namespace))
}

/**
 * Whether the event is in the namespace of its object; events of cluster-scoped objects have one of
 * their own.
 */
function isInPlace(event: Event, namespace: string, about: string, { v }: HookContext): boolean {
  if (event.eventTime === undefined) {
    return about === '' ? namespace === '' || namespace === 'default' : namespace === about
  }
  return about !== '' || namespace === 'default' || namespace === v.resolve('{system}-system')
}

function validateReport(event: Event, errors: FieldErrors, c: HookContext): void {
  const { reportingComponent = '', message = '' } = event
  // The one path that follows the version of the request.
  const reporter = errors.at(isStrict(c) ? 'reportingController' : 'reportingComponent')
  if (reportingComponent === '') reporter.required()
  reporter.invalidAll(reportingComponent, isQualifiedName(reportingComponent))
  for (const name of ['reportingInstance', 'action', 'reason'] as const) {
    const text = event[name] ?? ''
    if (text === '') errors.at(name).required()
    limit(text, MAX_WORD, errors.at(name))
  }
  limit(message, MAX_MESSAGE, errors.at('message'))
}

function limit(text: string, max: number, errors: FieldErrors): void {
  if (Buffer.byteLength(text) > max) errors.invalid('', `can have at most ${max} characters`)
}

function validateStrict(event: Event, errors: FieldErrors, { v }: HookContext): void {
  const { name = '', finalizers = [] } = event.metadata
  errors.at('metadata', 'name').invalidAll(name, isDns1123Subdomain(name))
  // Events of the core group need no domains there.
  checkFinalizerDomains(finalizers, errors.at('metadata', 'finalizers'), v)
  validateSeries(event, errors)
  if (event.eventTime === undefined) errors.at('eventTime').required()
  if (!TYPES.includes(event.type ?? '')) {
    errors.at('type').invalid('', `has invalid value: ${event.type ?? ''}`)
  }
  const unset = (field: string, value: unknown) => {
    if (value !== undefined) errors.at(field).invalid('', 'needs to be unset')
  }
  unset('firstTimestamp', event.firstTimestamp)
  unset('lastTimestamp', event.lastTimestamp)
  unset('count', event.count)
  unset('source', event.source.component ?? event.source.host)
}

function validateSeries({ series }: Event, errors: FieldErrors): void {
  if (!series) return
  if ((series.count ?? 0) < 2) errors.at('series', 'count').invalid('', 'should be at least 2')
  if (series.lastObservedTime === undefined) errors.at('series', 'lastObservedTime').required()
}

/** Validates an update: in the events group only metadata and the series can change. */
export function validateEventUpdate(
  next: Event,
  old: Event,
  errors: FieldErrors,
  c: HookContext,
): void {
  if (!isStrict(c)) return
  if (!sameSeries(next, old)) validateSeries(next, errors)
  const keep = (field: keyof Event, name: string = field) =>
    errors.at(name).immutable(next[field], old[field])
  keep('involvedObject')
  keep('reason')
  keep('message')
  keep('source')
  keep('firstTimestamp')
  keep('lastTimestamp')
  keep('count')
  // The reference reports this one twice.
  keep('reason')
  keep('type')
  keep('eventTime')
  keep('action')
  keep('related')
  keep('reportingComponent', 'reportingController')
  keep('reportingInstance')
}

const sameSeries = ({ series: a }: Event, { series: b }: Event): boolean =>
  (a === undefined) === (b === undefined) &&
  a?.count === b?.count &&
  a?.lastObservedTime === b?.lastObservedTime

import { FieldErrors } from '../../meta/field-errors.ts'
import {
  ipFamily,
  isDns1035Label,
  isDns1123Subdomain,
  isPortName,
  isPortNumber,
  isWildcardSubdomain,
} from '../../meta/names.ts'
import type {
  HTTPIngressPath,
  HTTPIngressRuleValue,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressTLS,
} from './ingress-spec.ts'
import { validateTypedReference } from './typed-reference.ts'

/** Validates the spec of an ingress, at `errors`; rules that `old` already breaks are waived. */
export function validateIngressSpec(
  spec: IngressSpec,
  errors: FieldErrors,
  old?: IngressSpec,
): void {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec
  if (rules.length === 0 && !defaultBackend) {
    errors.invalid(spec.rules, 'either `defaultBackend` or `rules` must be specified')
  }
  if (defaultBackend) validateBackend(defaultBackend, errors.at('defaultBackend'))
  const laxWildcards = hasBrokenWildcards(old)
  rules.forEach((rule, i) => validateRule(rule, laxWildcards, errors.at('rules', i)))
  const laxSecrets = hasBrokenSecrets(old)
  tls.forEach((one, i) => validateTls(one, laxSecrets, errors.at('tls', i)))
  if (ingressClassName !== undefined) {
    errors.at('ingressClassName').invalidAll(ingressClassName, isDns1123Subdomain(ingressClassName))
  }
}

const isWildcard = (host: string): boolean => host.includes('*')

const hostMessages = (host: string): readonly string[] =>
  isWildcard(host) ? isWildcardSubdomain(host) : isDns1123Subdomain(host)

/** Whether the stored spec has invalid wildcard hosts, which earlier releases did not check. */
function hasBrokenWildcards(old: IngressSpec | undefined): boolean {
  return (old?.rules ?? []).some(({ host = '', http }) => {
    if (!isWildcard(host) || !http) return false
    const errors = new FieldErrors()
    validateHttp(http, errors)
    return errors.list.length > 0
  })
}

const secretMessages = (name: string): readonly string[] =>
  name === '' ? [] : isDns1123Subdomain(name)

const hasBrokenSecrets = (old: IngressSpec | undefined): boolean =>
  (old?.tls ?? []).some(({ secretName = '' }) => secretMessages(secretName).length > 0)

function validateTls({ hosts = [], secretName = '' }: IngressTLS, lax: boolean, at: FieldErrors) {
  hosts.forEach((host, i) => at.at('hosts', i).invalidAll(host, hostMessages(host)))
  if (!lax) at.at('secretName').invalidAll(secretName, secretMessages(secretName))
}

function validateRule({ host = '', http }: IngressRule, lax: boolean, errors: FieldErrors): void {
  if (host !== '') {
    const at = errors.at('host')
    if (ipFamily(host) !== null) at.invalid(host, 'must be a DNS name, not an IP address')
    at.invalidAll(host, hostMessages(host))
  }
  if (http && !(lax && isWildcard(host))) validateHttp(http, errors.at('http'))
}

function validateHttp({ paths }: HTTPIngressRuleValue, errors: FieldErrors): void {
  if (paths.length === 0) errors.at('paths').required()
  paths.forEach((path, i) => validatePath(path, errors.at('paths', i)))
}

const NOT_INSIDE = ['//', '/./', '/../', '%2f', '%2F']
const NOT_AT_END = ['/..', '/.']

function validatePath(path: HTTPIngressPath, errors: FieldErrors): void {
  const { path: text = '', pathType, backend } = path
  const at = errors.at('path')
  const refuse = (why: string) => at.invalid(text, why)
  if (pathType === undefined) {
    errors.at('pathType').required('pathType must be specified')
    return
  }
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!text.startsWith('/')) refuse('must be an absolute path')
    for (const part of NOT_INSIDE) if (text.includes(part)) refuse(`must not contain '${part}'`)
    for (const end of NOT_AT_END) if (text.endsWith(end)) refuse(`cannot end with '${end}'`)
  } else if (pathType === 'ImplementationSpecific') {
    if (text !== '' && !text.startsWith('/')) refuse('must be an absolute path')
  }
  validateBackend(backend, errors.at('backend'))
}

function validateBackend({ service, resource }: IngressBackend, errors: FieldErrors): void {
  if (service && resource) errors.invalid('', 'cannot set both resource and service backends')
  else if (resource) validateTypedReference(resource, errors.at('resource'))
  else if (service) validateServiceBackend(service, errors)
  else errors.invalid('', 'resource or service backend is required')
}

function validateServiceBackend({ name, port }: IngressServiceBackend, errors: FieldErrors): void {
  const at = errors.at('service')
  if (name === '') at.at('name').required()
  else at.at('name').invalidAll(name, isDns1035Label(name))
  const { name: portName = '', number = 0 } = port
  if (portName !== '' && number !== 0) {
    errors.invalid('', 'cannot set both port name & port number')
  } else if (portName !== '') at.at('port', 'name').invalidAll(portName, isPortName(portName))
  else if (number !== 0) at.at('port', 'number').invalidAll(number, isPortNumber(number))
  else errors.required('port name or number is required')
}

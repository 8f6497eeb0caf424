/** The service that an APIService names. */
import type { ServicePort } from '../client/service-address.ts'
import type { ServiceReference } from '../kinds/apiregistration/api-service.ts'

export const SERVICES = { group: '', resource: 'services' }
export const ENDPOINTS = { group: '', resource: 'endpoints' }

/** The port of a service, with its defaults. */
export const servicePort = ({
  namespace = '',
  name = '',
  port = 443,
}: ServiceReference): ServicePort => ({ namespace, name, port })

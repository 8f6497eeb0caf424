import { boolFlag, fileFlag, onFlag, type Values } from '../../flags/flags.ts'
import type { AggregationOptions } from './aggregation-options.ts'

const section = 'Aggregation'

/** Flags of the proxy in front of extension servers. */
export const aggregationFlags = {
  'enable-aggregator-routing': boolFlag({
    option: 'aggregation.routesToEndpoints',
    section,
    help: 'Send requests for extension servers and webhooks to the endpoints of their services instead of to the cluster IPs.',
  }),
  'proxy-client-cert-file': fileFlag({
    option: 'aggregation.proxyClientCertFile',
    section,
    help: 'Client certificate that identifies this server to extension servers, PEM. Without it the servers create one, and publish its authority.',
  }),
  'proxy-client-key-file': fileFlag({
    option: 'aggregation.proxyClientKeyFile',
    section,
    help: 'Private key of the client certificate for extension servers, PEM.',
  }),
  'aggregator-reject-forwarding-redirect': onFlag({
    option: 'aggregation.refusesRedirects',
    section,
    help: 'Refuse redirects in responses of extension servers with 502 instead of passing them on to the client.',
  }),
} as const

/** The options that these flags mean. */
export const aggregationOf = (values: Values<typeof aggregationFlags>): AggregationOptions => ({
  routesToEndpoints: values['enable-aggregator-routing'],
  proxyClientCertFile: values['proxy-client-cert-file'],
  proxyClientKeyFile: values['proxy-client-key-file'],
  refusesRedirects: values['aggregator-reject-forwarding-redirect'],
})

import { globalFlags } from '../../flags/global-flags.ts'
import {
  boolFlag,
  choiceFlag,
  durationFlag,
  fileFlag,
  intFlag,
  ipFlag,
  listFlag,
  onFlag,
  optionalTextFlag,
  switchesFlag,
} from '../../flags/flags.ts'

const ELECTION = 'Leader election'

/** Flags of the program that runs controllers, in the spelling of the reference where it has them. */
export const controllerManagerFlags = {
  kubeconfig: fileFlag({
    section: 'Server',
    help: 'Client configuration of the server; that of the pod this runs in without.',
  }),
  context: optionalTextFlag({
    section: 'Server',
    help: 'Context of the client configuration; its current one without.',
  }),
  'use-service-account-credentials': boolFlag({
    section: 'Server',
    help: 'Each controller acts as a service account of its own, with a token that it asks for.',
  }),
  controllers: listFlag({
    section: 'Controllers',
    default: '*',
    help: 'Which controllers run: names, * for all that are not named, -name for all but one.',
  }),
  'root-ca-file': fileFlag({
    section: 'Controllers',
    help: 'Authority that is published in every namespace and put beside tokens in secrets.',
  }),
  'service-account-private-key-file': fileFlag({
    section: 'Controllers',
    help: 'Key that signs tokens in secrets; it must be one that the server verifies with.',
  }),
  'feature-gates': switchesFlag({
    section: 'Controllers',
    default: '',
    help: 'Features that differ from the defaults of the release.',
  }),
  'leader-elect': onFlag({
    section: ELECTION,
    help: 'Of several such programs one at a time runs the controllers.',
  }),
  'leader-elect-lease-duration': durationFlag({
    section: ELECTION,
    default: '15s',
    help: 'How long a leader that is silent stays the leader.',
  }),
  'leader-elect-renew-deadline': durationFlag({
    section: ELECTION,
    default: '10s',
    help: 'How long a leader tries to renew before it ends.',
  }),
  'leader-elect-retry-period': durationFlag({
    section: ELECTION,
    default: '2s',
    help: 'Wait between attempts.',
  }),
  'leader-elect-resource-namespace': optionalTextFlag({
    section: ELECTION,
    help: 'Namespace of the Lease; that of the system without.',
  }),
  'leader-elect-resource-name': optionalTextFlag({
    section: ELECTION,
    help: 'Name of the Lease; that of the program in the words of the server without.',
  }),
  'bind-address': ipFlag({
    section: 'Health',
    default: '127.0.0.1',
    help: 'Address of /healthz, /livez and /readyz; without a certificate one of this machine.',
  }),
  'secure-port': intFlag(
    { min: 0, max: 65_535 },
    { section: 'Health', default: '10257', help: 'Port of those; 0: they are not served.' },
  ),
  'tls-cert-file': fileFlag({
    section: 'Health',
    help: 'Certificate of those; without, they are served in plain HTTP.',
  }),
  'tls-private-key-file': fileFlag({ section: 'Health', help: 'Key of the certificate.' }),
  'logging-format': choiceFlag(['text', 'json'], {
    section: 'Logs',
    default: 'text',
    help: 'Form of log lines.',
  }),
  v: intFlag(
    { min: 0, max: 10 },
    { section: 'Logs', short: 'v', default: '1', help: 'Level of detail.' },
  ),
  ...globalFlags,
}

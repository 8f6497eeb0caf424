import { logFlags } from '../../flags/log-flags.ts'
import { configFlag, globalFlags } from '../../flags/global-flags.ts'
import {
  choiceFlag,
  boolFlag,
  durationFlag,
  fileFlag,
  intFlag,
  onFlag,
  optionalTextFlag,
  switchesFlag,
} from '../../flags/flags.ts'
import { controllerFlags, managerControllersFlag } from '../../server/options/controller-flags.ts'
import { rateFlag } from '../../server/options/rate-flag.ts'
import { API_BURST, API_QPS } from './api-flags.ts'
import { idleControllerFlags } from './idle-controller-flags.ts'
import { portFlags } from './port-flags.ts'
import { signingFlags } from './signing-flags.ts'

const ELECTION = 'Leader election'

/** Flags of the program that runs controllers, in the spelling of the reference where it has them. */
export const controllerManagerFlags = {
  kubeconfig: fileFlag({
    section: 'Server',
    help: 'Kubeconfig of the server. Defaults to the configuration of the pod that this program runs in.',
  }),
  context: optionalTextFlag({
    section: 'Server',
    help: 'Context of the kubeconfig. Defaults to its current context.',
  }),
  [API_QPS]: rateFlag({
    section: 'Server',
    default: '20',
    help: 'Requests that each controller makes in a second, for a long time; any number if 0. The controller of namespaces makes 20 times as many.',
  }),
  [API_BURST]: intFlag(
    { min: 0, max: 1_000_000 },
    { section: 'Server', default: '30', help: 'Requests that each makes at once after a rest.' },
  ),
  'use-service-account-credentials': boolFlag({
    section: 'Server',
    help: 'Run each controller as its own service account, with a requested token.',
  }),
  controllers: managerControllersFlag,
  'root-ca-file': fileFlag({
    section: 'Controllers',
    help: 'CA certificate that is published in every namespace and included in token secrets. Defaults to the CA of the kubeconfig.',
  }),
  'service-account-private-key-file': fileFlag({
    section: 'Controllers',
    help: 'Private key that signs the tokens in secrets. The server must verify tokens with it.',
  }),
  ...controllerFlags,
  ...signingFlags,
  'feature-gates': switchesFlag({
    section: 'Controllers',
    default: '',
    help: 'Feature gates that differ from their defaults.',
  }),
  'leader-elect': onFlag({
    section: ELECTION,
    help: 'Elect a leader, so that one of several programs runs the controllers at a time.',
  }),
  'leader-elect-lease-duration': durationFlag({
    section: ELECTION,
    default: '15s',
    help: 'How long others wait after the last renewal before they replace the leader.',
  }),
  'leader-elect-renew-deadline': durationFlag({
    section: ELECTION,
    default: '10s',
    help: 'How long the leader tries to renew its lease before it exits.',
  }),
  'leader-elect-retry-period': durationFlag({
    section: ELECTION,
    default: '2s',
    help: 'Wait between attempts to acquire or renew the lease.',
  }),
  'leader-elect-resource-namespace': optionalTextFlag({
    section: ELECTION,
    help: 'Namespace of the Lease. Defaults to the system namespace.',
  }),
  'leader-elect-resource-name': optionalTextFlag({
    section: ELECTION,
    help: 'Name of the Lease. Defaults to the name of the program in the vocabulary of the server.',
  }),
  'leader-elect-resource-lock': choiceFlag(['leases'], {
    section: ELECTION,
    default: 'leases',
    help: 'Kind of the object that the leader holds.',
  }),
  ...portFlags,
  ...idleControllerFlags,
  ...logFlags('1', 'Log verbosity.'),
  ...configFlag,
  ...globalFlags,
}

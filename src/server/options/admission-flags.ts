import type { ServerOptions } from './server-options.ts'
import { fileFlag, intFlag, listFlag, type Flag, type Values } from '../../flags/flags.ts'

const section = 'Admission'

const SECONDS = { min: -(2 ** 31), max: 2 ** 31 - 1 }

/** Flags that enable, disable and configure admission plugins. */
export const admissionFlags = {
  'enable-admission-plugins': listFlag({
    option: 'enableAdmissionPlugins',
    section,
    help: 'Admission plugins to enable in addition to the default ones. Their order does not matter.',
  }),
  'disable-admission-plugins': listFlag({
    option: 'disableAdmissionPlugins',
    section,
    help: 'Admission plugins to disable although they are enabled by default.',
  }),
  'admission-control': listFlag({
    option: 'admissionControl',
    section,
    help: 'Deprecated: the admission plugins that are enabled, and no others. Use the flags that enable and disable.',
  }),
  'admission-control-config-file': fileFlag({
    option: 'admissionConfigFile',
    section,
    help: 'File with the configuration of admission plugins.',
  }),
  'default-not-ready-toleration-seconds': intFlag(SECONDS, {
    option: 'defaultNotReadyTolerationSeconds',
    section,
    default: '300',
    help: 'Seconds for which pods tolerate nodes that are not ready, unless they say otherwise.',
  }),
  'default-unreachable-toleration-seconds': intFlag(SECONDS, {
    option: 'defaultUnreachableTolerationSeconds',
    section,
    default: '300',
    help: 'Seconds for which pods tolerate unreachable nodes, unless they say otherwise.',
  }),
} as const satisfies Readonly<Record<string, Flag>>

/** The options that these flags mean. */
export const admissionOf = (
  values: Values<typeof admissionFlags>,
): Pick<
  ServerOptions,
  | 'enableAdmissionPlugins'
  | 'disableAdmissionPlugins'
  | 'admissionControl'
  | 'admissionConfigFile'
  | 'defaultNotReadyTolerationSeconds'
  | 'defaultUnreachableTolerationSeconds'
> => ({
  enableAdmissionPlugins: values['enable-admission-plugins'],
  disableAdmissionPlugins: values['disable-admission-plugins'],
  admissionControl: values['admission-control'],
  defaultNotReadyTolerationSeconds: values['default-not-ready-toleration-seconds'],
  defaultUnreachableTolerationSeconds: values['default-unreachable-toleration-seconds'],
  ...(values['admission-control-config-file'] === ''
    ? {}
    : { admissionConfigFile: values['admission-control-config-file'] }),
})

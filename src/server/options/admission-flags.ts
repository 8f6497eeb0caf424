import type { ServerOptions } from './server-options.ts'
import { fileFlag, listFlag, type Flag, type Values } from '../../flags/flags.ts'

const section = 'Admission'

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
  'admission-control-config-file': fileFlag({
    option: 'admissionConfigFile',
    section,
    help: 'File with the configuration of admission plugins.',
  }),
} as const satisfies Readonly<Record<string, Flag<unknown>>>

/** The options that these flags mean. */
export const admissionOf = (
  values: Values<typeof admissionFlags>,
): Pick<
  ServerOptions,
  'enableAdmissionPlugins' | 'disableAdmissionPlugins' | 'admissionConfigFile'
> => ({
  enableAdmissionPlugins: values['enable-admission-plugins'],
  disableAdmissionPlugins: values['disable-admission-plugins'],
  ...(values['admission-control-config-file'] === ''
    ? {}
    : { admissionConfigFile: values['admission-control-config-file'] }),
})

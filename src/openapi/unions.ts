/** Mutually exclusive fields with their discriminator, by home and name of the shape. */
export const UNIONS: Readonly<Record<string, Union>> = {
  'core/v1#SeccompProfile': {
    discriminator: 'type',
    fields: { localhostProfile: 'LocalhostProfile' },
  },
  ...flowControl('v1beta1'),
  ...flowControl('v1beta2'),
}

interface Union {
  readonly discriminator: string
  readonly fields: Readonly<Record<string, string>>
}

/** The extension as it is published. */
export const unionExtension = ({ discriminator, fields }: Union): object[] => [
  { discriminator, 'fields-to-discriminateBy': fields },
]

function flowControl(version: string): Record<string, Union> {
  const home = `flowcontrol.apiserver{api}/${version}`
  return {
    [`${home}#Subject`]: {
      discriminator: 'kind',
      fields: { group: 'Group', serviceAccount: 'ServiceAccount', user: 'User' },
    },
    [`${home}#PriorityLevelConfigurationSpec`]: {
      discriminator: 'type',
      fields: { limited: 'Limited' },
    },
    [`${home}#LimitResponse`]: { discriminator: 'type', fields: { queuing: 'Queuing' } },
  }
}

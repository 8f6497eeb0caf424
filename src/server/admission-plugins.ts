/** Chooses the admission plugins of a server and reads their configurations. */
import { dirname, resolve } from 'node:path'
import { readConfigurations, type Configurations } from '../admission/configuration.ts'
import type { AnyPluginFactory } from '../admission/plugin.ts'
import { selectPlugins } from '../admission/selection.ts'
import { readFile } from '../base/files.ts'
import { readFlagFile } from '../base/flag-file.ts'
import { forFlag, plainReason } from '../base/plain-reason.ts'
import { parseYaml } from '../codec/yaml.ts'
import type { ServerOptions } from './options/server-options.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

const CONFIG_FLAG = 'admission-control-config-file'

/** The enabled plugins in order, with their configurations. */
export interface ChosenPlugins {
  readonly factories: readonly AnyPluginFactory[]
  readonly configurations: Configurations
}

/** Chooses plugins and reads their configurations. Throws an Error that names flags. */
export async function choosePlugins(options: ServerOptions, v: Vocabulary): Promise<ChosenPlugins> {
  const { all, on } = selectPlugins(
    {
      enable: options.enableAdmissionPlugins ?? [],
      disable: options.disableAdmissionPlugins ?? [],
      only: options.admissionControl ?? [],
    },
    options.admission,
  )
  const { admissionConfigFile: path = '' } = options
  const configurations = path === '' ? new Map() : await configurationsIn(path, all, v)
  const bare = on.find(({ name, needsConfig }) => needsConfig === true && !configurations.has(name))
  if (bare) {
    throw new Error(
      `--enable-admission-plugins plugin ${JSON.stringify(bare.name)} needs a configuration, by --${CONFIG_FLAG}`,
    )
  }
  return { factories: on, configurations }
}

async function configurationsIn(
  path: string,
  factories: readonly AnyPluginFactory[],
  v: Vocabulary,
): Promise<Configurations> {
  const text = await readFlagFile(CONFIG_FLAG, path)
  const files = { read: parsedFile, resolve: (named: string) => resolve(dirname(path), named) }
  return forFlag(`${CONFIG_FLAG}: ${path}`, async () =>
    readConfigurations(await parseYaml(text), factories, files, v),
  )
}

async function parsedFile(path: string): Promise<unknown> {
  try {
    return await parseYaml(await readFile(path, 'utf8'))
  } catch (error) {
    throw new Error(`cannot read ${path}: ${plainReason(error)}`, { cause: error })
  }
}

/** create configmap, create secret. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { dataFlags, dataOf, hashedName } from '../../api/data-sources.ts'
import { generatorCommand, nameArg } from '../../api/generate.ts'
import { Fault } from '../../base/faults.ts'

const isText = (value: Buffer): boolean => Buffer.from(value.toString('utf8')).equals(value)

export const createConfigMap = generatorCommand({
  use: 'NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]',
  text: 'Creates a config map from files, folders and literal values.',
  examples: [['From a value', 'create configmap settings --from-literal=mode=fast']],
  flags: dataFlags,
  make(c) {
    const all = [...dataOf(c)]
    const texts = all
      .filter(([, value]) => isText(value))
      .map(([key, value]) => [key, value.toString('utf8')])
    const bytes = all
      .filter(([, value]) => !isText(value))
      .map(([key, value]) => [key, value.toString('base64')])
    const content = {
      ...(texts.length > 0 ? { data: Object.fromEntries(texts) as object } : {}),
      ...(bytes.length > 0 ? { binaryData: Object.fromEntries(bytes) as object } : {}),
    }
    const name = nameArg(c)
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: c.flags.is('append-hash') ? hashedName(name, content) : name },
      ...content,
    }
  },
})

const encoded = (data: ReadonlyMap<string, Buffer>) =>
  Object.fromEntries([...data].map(([key, value]) => [key, value.toString('base64')]))

function secret(name: string, type: string, data: Record<string, string>, hashes: boolean) {
  const content = { data, ...(type === '' ? {} : { type }) }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: hashes ? hashedName(name, content) : name },
    ...(Object.keys(data).length > 0 ? { data } : {}),
    ...(type === '' ? {} : { type }),
  }
}

export const createSecretGeneric = generatorCommand({
  use: 'NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]',
  text: 'Creates a secret from files, folders and literal values.',
  examples: [['From a file', 'create secret generic key --from-file=id=./id.pem']],
  flags: { ...dataFlags, type: { type: 'text', help: 'The type of secret to create' } },
  make: (c) =>
    secret(nameArg(c), c.flags.text('type'), encoded(dataOf(c)), c.flags.is('append-hash')),
})

const reasonOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === 'ENOENT'
    ? 'no such file or directory'
    : (error as Error).message

export const createSecretTls = generatorCommand({
  use: 'NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]',
  text: 'Creates a secret with a certificate and its key.',
  flags: {
    'append-hash': dataFlags['append-hash'],
    cert: { type: 'text', help: 'Path to PEM encoded public key certificate.' },
    key: { type: 'text', help: 'Path to private key associated with given certificate.' },
  },
  async make(c, v) {
    const name = nameArg(c)
    if (c.flags.text('cert') === '' || c.flags.text('key') === '')
      throw new Fault('error: key and cert must be specified')
    const [cert, key] = ['cert', 'key'].map((flag) => {
      const path = c.flags.text(flag)
      try {
        return readFileSync(resolve(c.io.cwd, path))
      } catch (error) {
        throw new Fault(`error: Cannot read file ${path}, open ${path}: ${reasonOf(error)}`)
      }
    })
    const { checkPair } = await import('../../../client/certificate-pair.ts')
    try {
      checkPair(cert!.toString(), key!.toString())
    } catch (error) {
      throw new Fault(`error: tls: ${(error as Error).message}`)
    }
    const data = encoded(
      new Map([
        ['tls.crt', cert!],
        ['tls.key', key!],
      ]),
    )
    return secret(name, v.resolve('{label}/tls'), data, c.flags.is('append-hash'))
  },
})

export const createSecretDocker = generatorCommand({
  use: 'NAME --docker-username=user --docker-password=password --docker-email=email [--docker-server=string] [--from-file=[key=]source]',
  text: 'Creates a secret for a registry of images.',
  flags: {
    'append-hash': dataFlags['append-hash'],
    'docker-email': { type: 'text', help: 'Email for the registry' },
    'docker-password': { type: 'text', help: 'Password for authentication' },
    'docker-server': {
      type: 'text',
      default: 'https://index.docker.io/v1/',
      help: 'Server location for the registry',
    },
    'docker-username': { type: 'text', help: 'Username for authentication' },
    'from-file': dataFlags['from-file'],
  },
  make(c, v) {
    const name = nameArg(c)
    const type = v.resolve('{label}/dockerconfigjson')
    const [file] = c.flags.list('from-file')
    if (file !== undefined) {
      const path = file.slice(file.indexOf('=') + 1)
      const data = encoded(new Map([['.dockerconfigjson', readFileSync(resolve(c.io.cwd, path))]]))
      return secret(name, type, data, c.flags.is('append-hash'))
    }
    if (c.flags.text('docker-username') === '' || c.flags.text('docker-password') === '')
      throw new Fault(
        'error: either --from-file or the combination of --docker-username, --docker-password and --docker-server is required',
      )
    const [username, password, email] = ['username', 'password', 'email'].map((key) =>
      c.flags.text(`docker-${key}`),
    )
    const auth = Buffer.from(`${username}:${password}`).toString('base64')
    const entry = { username, password, ...(email === '' ? {} : { email }), auth }
    const config = JSON.stringify({ auths: { [c.flags.text('docker-server')]: entry } })
    const data = encoded(new Map([['.dockerconfigjson', Buffer.from(config)]]))
    return secret(name, type, data, c.flags.is('append-hash'))
  },
})

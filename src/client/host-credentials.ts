/** Credentials for servers by their host, from the users of a client configuration. */
import { loadUsers, type ConfiguredUsers, type UserConfig } from './kubeconfig.ts'

const HTTPS_PORT = 443

/** Users of a client configuration whose names are hosts: `host:port`, `*.suffix:port`, `*`. */
export class HostCredentials {
  readonly #users: ConfiguredUsers

  constructor(users: ConfiguredUsers) {
    this.#users = users
  }

  /** The credentials for a server; null for none. The most exact name counts, then the current user. */
  of(host: string, port: number): UserConfig | null {
    const withPort = `${host.includes(':') ? `[${host}]` : host}:${port}`
    const names = [...namesOf(withPort), ...(port === HTTPS_PORT ? namesOf(host) : []), '*']
    for (const name of names) {
      const user = this.#users.byName.get(name)
      if (user) return user
    }
    return this.#users.current
  }
}

/** Reads a client configuration file. Rejects with an Error that names it. */
export const loadHostCredentials = async (path: string): Promise<HostCredentials> =>
  new HostCredentials(await loadUsers(path))

/** A host itself, then with ever more of its first labels replaced by `*`. */
function* namesOf(host: string): Generator<string> {
  yield host
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1))
    yield `*${host.slice(dot)}`
}

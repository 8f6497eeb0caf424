import type { Filter } from '../context.ts'

/** Tells browsers to use HTTPS only. */
export const strictTransportSecurity: Filter = {
  name: 'strictTransportSecurity',
  isNeeded: ({ responses }) => responses.strictTransportSecurity !== '',
  run({ server, headers }) {
    headers.push('strict-transport-security', server.responses.strictTransportSecurity)
  },
}

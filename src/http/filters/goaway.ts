import type { Filter } from '../context.ts'

/** Makes some clients connect anew, so that load balancers spread HTTP/2 connections. */
export const goaway: Filter = {
  name: 'goaway',
  isNeeded: ({ responses }) => responses.goawayChance > 0,
  run({ server: { responses }, exchange }) {
    if (exchange.socket.alpnProtocol !== 'h2') return
    if (responses.fraction() < responses.goawayChance) exchange.endConnection()
  },
}

import { vocabulary } from './vocabulary.ts'

/** The product's own words; the default. */
export const orch = vocabulary('orch', {
  api: '.orch.io',
  label: 'orch.io',
  system: 'orch',
  agent: 'nodeagent',
  brand: 'orch',
  Brand: 'Orch',
  cli: 'cli',
})

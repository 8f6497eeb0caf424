import { vocabulary } from './vocabulary.ts'

/** The words that existing clients expect. */
export const kubernetes = vocabulary('kubernetes', {
  api: '.k8s.io',
  label: 'kubernetes.io',
  system: 'kube',
  agent: 'kubelet',
  brand: 'kubernetes',
  Brand: 'Kubernetes',
  cli: 'kubectl',
})

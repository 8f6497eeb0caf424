import { expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { metricUser } from './metric-user.ts'

for (const { name, as } of [
  { name: 'admin', as: 'admin' },
  { name: 'client', as: 'client' },
  { name: 'kube_proxy', as: 'kube_proxy' },
  { name: 'kubelet', as: 'kubelet' },
  {
    name: 'system:serviceaccount:kube-system:default',
    as: 'system:serviceaccount:kube-system:default',
  },
  { name: 'a@example.com', as: 'email_id' },
  { name: 'toString', as: 'other' },
  { name: '', as: 'other' },
]) {
  test(`"${name}" counts as ${as}`, () =>
    expect(metricUser(name, vocabularies.kubernetes)).toBe(as))
}

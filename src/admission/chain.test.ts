import { describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import type { MutableAttributes } from './attributes.ts'
import { admissionChain } from './chain.ts'
import type { AdmissionObserver } from './observer.ts'
import type { Plugin } from './plugin.ts'
import { Reinvocation } from './reinvocation.ts'

const attributes = (operation: string, resource = 'pods') =>
  ({
    operation,
    resource: { group: '', version: 'v1', resource },
    subresource: '',
    reinvocation: new Reinvocation(),
  }) as unknown as MutableAttributes

/** A plugin that waits or not, and refuses or not. */
const plugin = (name: string, waits: boolean, refuses: boolean): Plugin & { name: string } => {
  const work = () => {
    if (refuses) throw new Error(`${name} refuses`)
  }
  const ask = waits ? async () => work() : work
  return {
    name,
    handles: (operation) => operation === 'CREATE',
    resources: [{ group: '', resource: 'pods' }],
    mutate: ask,
    validate: ask,
  }
}

describe('an observer is told of each plugin and each phase', () => {
  for (const { name, plugins, mutated, validated } of [
    {
      name: 'that do not wait',
      plugins: [plugin('a', false, false), plugin('b', false, false)],
      mutated: ['admit CREATE a 1 false', 'admit CREATE b 1 false', 'admit CREATE all 3 false'],
      validated: [
        'validate CREATE a 1 false',
        'validate CREATE b 1 false',
        'validate CREATE all 3 false',
      ],
    },
    {
      name: 'of which one waits and one refuses',
      plugins: [plugin('a', true, false), plugin('b', false, true), plugin('c', false, false)],
      mutated: ['admit CREATE a 1 false', 'admit CREATE b 1 true', 'admit CREATE all 3 true'],
      validated: [
        'validate CREATE a 1 false',
        'validate CREATE b 1 true',
        'validate CREATE all 3 true',
      ],
    },
    {
      name: 'of which one refuses after a wait',
      plugins: [plugin('a', true, true)],
      mutated: ['admit CREATE a 1 true', 'admit CREATE all 2 true'],
      validated: ['validate CREATE a 1 true', 'validate CREATE all 2 true'],
    },
  ]) {
    test(name, async () => {
      const told: string[] = []
      let time = 0
      const observer: AdmissionObserver = {
        now: () => time++,
        recorder: (phase, one) => (operation, ms, rejected) =>
          void told.push(
            `${phase} ${operation} ${(one as { name?: string } | null)?.name ?? 'all'} ${ms} ${rejected}`,
          ),
      }
      const chain = admissionChain(plugins, new ManualClock(), observer)
      const settled = async (work: () => void | Promise<void>) => {
        try {
          await work()
        } catch {
          // What is told says that it was refused.
        }
        return told.splice(0)
      }
      expect(await settled(() => chain.mutate(attributes('CREATE')))).toEqual(mutated)
      expect(await settled(() => chain.validate(attributes('CREATE')))).toEqual(validated)
      for (const other of [attributes('CREATE', 'services'), attributes('DELETE')]) {
        expect(await settled(() => chain.mutate(other))).toEqual([])
        expect(await settled(() => chain.validate(other))).toEqual([])
      }
    })
  }
})

test('plugins that do not wait are asked without a promise', () => {
  const chain = admissionChain([plugin('a', false, false)], new ManualClock())
  expect(chain.mutate(attributes('CREATE'))).toBeUndefined()
  expect(chain.validate(attributes('CREATE'))).toBeUndefined()
})

import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../../base/clock.ts'
import { Liveness } from './liveness.ts'

type Step =
  | { readonly pass: number }
  | 'stream'
  | 'end'
  | 'call'
  | 'answer'
  | 'read'
  | 'pong'
  | 'probe'

/** When pings were sent and when the peer was given up, in milliseconds from the start. */
async function run(steps: readonly Step[]): Promise<{ pings: number[]; dead: number[] }> {
  const clock = new ManualClock(0)
  const pings: number[] = []
  const dead: number[] = []
  let pong = (): void => {}
  const liveness = new Liveness({
    clock,
    ping: (answered) => {
      pings.push(clock.now())
      pong = answered
      return true
    },
    dead: () => {
      dead.push(clock.now())
      liveness.close()
    },
  })
  for (const step of steps) {
    if (step === 'stream') liveness.begin()
    else if (step === 'end') liveness.end()
    else if (step === 'call' || step === 'answer') {
      if (step === 'call') liveness.begin()
      liveness.expect(step === 'call' ? 1 : -1)
      if (step === 'answer') liveness.end()
    } else if (step === 'read') liveness.heard()
    else if (step === 'pong') pong()
    else if (step === 'probe') liveness.probe()
    else
      for (let passed = 0; passed < step.pass; passed += 100) {
        clock.advance(100)
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
  }
  liveness.close()
  return { pings, dead }
}

describe('a connection', () => {
  const cases: readonly {
    readonly name: string
    readonly steps: readonly Step[]
    readonly pings: readonly number[]
    readonly dead?: readonly number[]
  }[] = [
    { name: 'without streams is left alone', steps: [{ pass: 60_000 }], pings: [] },
    {
      name: 'whose streams are over is left alone',
      steps: ['stream', { pass: 300 }, 'end', { pass: 60_000 }],
      pings: [],
    },
    {
      name: 'with responses to its calls gets no ping',
      steps: Array.from(
        { length: 20 },
        () => ['call', { pass: 700 }, 'read', 'answer'] as const,
      ).flat(),
      pings: [],
    },
    {
      name: 'with a silent call is dead when its ping is',
      steps: ['call', { pass: 10_000 }],
      pings: [1000],
      dead: [3000],
    },
    {
      name: 'with a call on top of an idle stream is dead as soon',
      steps: ['stream', { pass: 2_200 }, 'call', { pass: 10_000 }],
      pings: [2500],
      dead: [4500],
    },
    {
      name: 'with an idle stream only gets few pings',
      steps: ['stream', { pass: 10_000 }, 'pong', { pass: 10_000 }, 'pong', { pass: 20_000 }],
      pings: [10_000, 20_000, 30_000],
      dead: [32_000],
    },
    {
      name: 'that acknowledges pings stays open, with a limited rate of pings',
      steps: ['call', { pass: 1_000 }, 'pong', { pass: 1_000 }, 'pong', { pass: 6_500 }, 'pong'],
      pings: [1000, 2000, 8000],
    },
    {
      name: 'that is read from while a ping is out lives',
      steps: ['call', { pass: 2_900 }, 'read', { pass: 1_000 }],
      pings: [1000],
    },
    {
      name: 'gets a ping at once when a response is missing',
      steps: ['stream', { pass: 200 }, 'probe', { pass: 200 }, 'probe', { pass: 5_000 }],
      pings: [200],
      dead: [2200],
    },
  ]
  for (const { name, steps, pings, dead = [] } of cases)
    test(name, async () => expect(await run(steps)).toEqual({ pings, dead }))
})

/** The program: built as one small file, which loads nothing of the server. */
import { writeFileSync } from 'node:fs'
import { planEtcd, runEtcd } from './etcd.ts'
import { PLAN_FILE, PLAN_WORD } from './waiter.ts'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

const around = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
  onEnd: (call: () => void) => {
    for (const signal of SIGNALS) process.on(signal, call)
  },
}

const args = process.argv.slice(2)
const running =
  args[0] === PLAN_WORD
    ? planEtcd(args.slice(1), around, (plan) => writeFileSync(PLAN_FILE, plan))
    : runEtcd(args, around)
void running.then((code) => (process.exitCode = code))

/** The program: built as one small file, which loads nothing of the server. */
import { runEtcd } from './etcd.ts'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

void runEtcd(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  onEnd: (call) => {
    for (const signal of SIGNALS) process.on(signal, call)
  },
}).then((code) => process.exit(code))

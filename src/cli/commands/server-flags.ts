import { product, vocabularies } from '../../vocabulary/index.ts'
import type { VocabularyName } from '../../vocabulary/vocabulary.ts'
import { boolFlag, choiceFlag, durationFlag, intFlag, ipFlag, textFlag } from '../flags.ts'

const words = Object.keys(vocabularies) as VocabularyName[]

/** Flags of the server, in the spelling of the reference where it has them. */
export const serverFlags = {
  'data-dir': textFlag({
    section: 'Storage',
    default: `./${product.dataDir}`,
    help: 'Folder for objects, certificates and the client configuration of the administrator.',
  }),
  store: choiceFlag(['lmdb', 'memory'], {
    section: 'Storage',
    default: 'lmdb',
    help: 'Where objects are kept; those in memory are gone when the server ends.',
  }),
  'history-window': durationFlag({
    section: 'Storage',
    default: '5m',
    help: 'How far back watches and exact lists may start.',
  }),
  'bind-address': ipFlag({
    section: 'Secure serving',
    default: '127.0.0.1',
    help: 'Address to listen on; 0.0.0.0 or :: for all of the machine.',
  }),
  'secure-port': intFlag(
    { min: 0, max: 65_535 },
    {
      section: 'Secure serving',
      default: '6443',
      help: 'Port to serve HTTPS on; 0 takes any free one.',
    },
  ),
  vocabulary: choiceFlag(words, {
    section: 'Generic',
    default: words[0] ?? '',
    help: 'Brand words of groups, labels and system names. Objects are kept with the words they were made with.',
  }),
  'request-timeout': durationFlag({
    section: 'Generic',
    default: '1m',
    help: 'Longest time until a request that is no watch is answered.',
  }),
  'min-request-timeout': intFlag(
    { min: 1, max: 1_000_000 },
    {
      section: 'Generic',
      default: '1800',
      help: 'Seconds until a watch that gives no timeout is ended, at the earliest; at random up to twice that.',
    },
  ),
  v: intFlag(
    { min: 0, max: 10 },
    {
      section: 'Logs',
      short: 'v',
      default: '0',
      help: 'Level of detail: 0 for warnings and errors, 1 for what happens, 4 for the causes of a failed start.',
    },
  ),
  'logging-format': choiceFlag(['text', 'json'], {
    section: 'Logs',
    default: 'text',
    help: 'Form of log lines, which go to standard error.',
  }),
  help: boolFlag({ section: 'Global', short: 'h', help: 'Show this help.' }),
  version: boolFlag({ section: 'Global', help: 'Show the version.' }),
}

import { intFlag, onFlag } from '../../flags/flags.ts'
import { MAX_INTEGER } from './rate-flag.ts'

const section = 'Generic'
const natural = { min: 0, max: MAX_INTEGER }

/** Flags of the limits of requests in progress. */
export const flowFlags = {
  'enable-priority-and-fairness': onFlag({
    option: 'priorityAndFairness',
    section,
    help: 'Limit requests in progress by FlowSchemas and PriorityLevelConfigurations, and let the rest wait in fair queues. Otherwise the two limits reject what exceeds them.',
  }),
  'fair-connections': onFlag({
    option: 'fairConnections',
    section,
    help: 'Read from the connections of a user in turns while they are many and busy, so that they do not delay others, and send long responses in short pieces while other requests come. Without it, or without priority and fairness, all connections are read whenever they are ready, and pieces are large.',
  }),
  'max-requests-inflight': intFlag(natural, {
    option: 'maxRequestsInFlight',
    section,
    default: '400',
    help: 'Maximum number of reading requests in progress; 0 for no limit. With priority and fairness, this and the maximum of mutating requests add up to the seats of the server.',
  }),
  'max-mutating-requests-inflight': intFlag(natural, {
    option: 'maxMutatingRequestsInFlight',
    section,
    default: '200',
    help: 'Maximum number of mutating requests in progress; 0 for no limit. With priority and fairness, this and the maximum of reading requests add up to the seats of the server.',
  }),
}

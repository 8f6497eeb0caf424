/** How many requests have come since the start: what the engine takes for a measure of what else there is to do. */
export class Traffic {
  requests = 0
}

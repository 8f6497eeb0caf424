import type { ApiResponse } from './context.ts'

/** Thrown by a filter to end a request with a response that is no failure. */
export class EarlyResponse extends Error {
  override readonly name = 'EarlyResponse'
  readonly response: ApiResponse

  constructor(response: ApiResponse) {
    super('answered early')
    this.response = response
  }
}

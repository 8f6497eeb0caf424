/** Lets everything that waits for the outside have its turn: for work of several milliseconds while others wait. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

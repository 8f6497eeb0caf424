/**
 * Name of the channel on which `true` is published before the code of a further script is read, and `false` after it. V8 accepts
 * code only under the flags that it was made with, so code that changes flags restores the defaults for that time. A channel of the
 * runtime, since the part that reads code is bundled apart from the programs.
 */
export const READING_CODE = 'code-cache.reading'

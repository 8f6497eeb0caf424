/** completion: scripts for shells, and what they ask. */
import type { Command } from '../base/command.ts'
import { scripts } from '../completion/scripts.ts'

export const completion: Command = {
  use: 'SHELL',
  text: 'Shows the completion script for a shell: bash, zsh, fish or powershell.',
  examples: [
    ['In this bash or zsh', 'completion bash > ~/.completion && source ~/.completion'],
    ['In this fish', 'completion fish | source'],
  ],
  run(c) {
    const [shell = ''] = c.args
    if (shell === '') return Promise.reject(c.misuse('Shell not specified.'))
    if (c.args.length > 1)
      return Promise.reject(c.misuse('Too many arguments. Expected only the shell type.'))
    if (!Object.hasOwn(scripts, shell))
      return Promise.reject(c.misuse(`Unsupported shell type ${JSON.stringify(shell)}.`))
    c.out(scripts[shell]!(c.program))
    return Promise.resolve()
  },
}

/** Shows what may come next, one a line; the last argument is what has been typed of it. */
export const complete: Command = {
  use: 'WORDS',
  text: 'For completion scripts: shows what may come next.',
  async run(c) {
    const { completionLines } = await import('../completion/candidates.ts')
    c.out(await completionLines(c, c.args))
  },
}

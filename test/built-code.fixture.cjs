// Loaded before a built program: writes a line for each script, with whether its compiled code was accepted.
const vm = require('node:vm')
const { Script } = vm

vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options)
    const name = require('node:path').basename(options?.filename ?? '')
    process.stderr.write(`script ${name} ${this.cachedDataRejected === false}\n`)
  }
}

#!/usr/bin/env node
import { apiserverMain } from '../src/cli/main.ts'
import { packageVersion } from '../src/version.ts'

await apiserverMain(process.argv.slice(2), { version: packageVersion() })

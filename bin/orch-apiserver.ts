#!/usr/bin/env node
import { apiserverMain } from '../src/cli/main.ts'
import { packageVersion } from '../src/base/package-version.ts'

void apiserverMain(process.argv.slice(2), { version: packageVersion() })

#!/usr/bin/env node
import { main } from '../src/cli/main.ts'
import { packageVersion } from '../src/base/package-version.ts'

void main(process.argv.slice(2), { version: packageVersion() })

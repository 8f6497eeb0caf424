#!/usr/bin/env node
import { main } from '../src/cli/main.ts'
import { packageVersion } from '../src/version.ts'

void main(process.argv.slice(2), { version: packageVersion() })

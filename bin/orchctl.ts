#!/usr/bin/env node
import { ctlProgram } from '../src/ctl/program.ts'

void ctlProgram(process.argv.slice(2))

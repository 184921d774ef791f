#!/usr/bin/env node
const {run} = require('../dist/scent.cjs')
run(process.argv.slice(2))

#!/usr/bin/env node
// Starts the program from source: builds it first, in a few seconds.
import('../build.js').then(({build}) => build()).then(() => require('./run.js'))

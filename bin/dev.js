#!/usr/bin/env node
// Starts the program from source: builds it first, in about a second.
import('../build.js').then(({build}) => build()).then(() => require('./run.js'))

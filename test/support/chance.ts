import fc from 'fast-check'

// What is tried by chance is the same in each run, so that a red one is red again; `npm run proofs` tries something new.
if (!process.env.SCENT_TEST_PROOFS) fc.configureGlobal({seed: 20_261_123})

import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {pageOf, pageQuery} from './paging.ts'
import {mentioned, shown, uuid} from './wire.ts'

// not shown: the fields of a scent. These are what the named filters and references need.
export const scent = z.looseObject({
  id: uuid,
  brandId: shown(uuid),
  name: shown(z.string()),
  concentration: shown(z.string()),
  audience: shown(z.string()),
  notes: shown(
    z.looseObject({
      top: shown(z.array(z.string())),
      heart: shown(z.array(z.string())),
      base: shown(z.array(z.string())),
    }),
  ),
  accords: shown(z.array(z.string())),
  imageUrl: shown(z.string()),
  isActive: shown(z.boolean()),
})
export type Scent = z.output<typeof scent>

// not shown: path, filters and shape of the catalog reads of scents; they exist by reference. The lookup codes
// `concentration` and `audience` are named by VALIDATION_UNKNOWN_LOOKUP_CODE.
export const listScents = {
  summary: 'List the scents of the catalog.',
  method: 'GET',
  path: '/api/v1/scent/scents',
  auth: 'bearer',
  repeat: 'freely',
  query: {
    ...pageQuery,
    brandId: {kind: 'uuid', many: true},
    concentration: {kind: 'text'},
    audience: {kind: 'text'},
  },
  payload: mentioned(pageOf(scent)),
  fails: ['VALIDATION_UNKNOWN_LOOKUP_CODE'],
} as const satisfies Operation

export const readScent = {
  summary: 'Read one scent.',
  method: 'GET',
  path: '/api/v1/scent/scents/{scentId}',
  auth: 'bearer',
  repeat: 'freely',
  payload: mentioned(scent),
  fails: ['NOT_FOUND_SCENT'],
} as const satisfies Operation

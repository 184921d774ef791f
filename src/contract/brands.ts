import * as z from 'zod/mini'
import type {Operation} from './operation.ts'
import {pageOf, pageQuery} from './paging.ts'
import {mentioned, shown, uuid} from './wire.ts'

// not shown: the fields of a brand.
export const brand = z.looseObject({id: uuid, name: shown(z.string()), imageUrl: shown(z.string())})
export type Brand = z.output<typeof brand>

// not shown: path and shape of the catalog reads of brands; they exist by reference.
export const listBrands = {
  summary: 'List the brands of the catalog.',
  method: 'GET',
  path: '/api/v1/scent/brands',
  auth: 'bearer',
  repeat: 'freely',
  query: pageQuery,
  payload: mentioned(pageOf(brand)),
  fails: [],
} as const satisfies Operation

export const readBrand = {
  summary: 'Read one brand.',
  method: 'GET',
  path: '/api/v1/scent/brands/{brandId}',
  auth: 'bearer',
  repeat: 'freely',
  payload: mentioned(brand),
  fails: ['NOT_FOUND_BRAND'],
} as const satisfies Operation

import type * as z from 'zod/mini'
import type {runCartImport} from '../../src/bulk/carts/run.ts'
import type {previewOrders} from '../../src/bulk/orders/preview.ts'
import type {runBulkOrders} from '../../src/bulk/orders/run.ts'
import type {createSandbox} from '../../src/sandbox/core/sandbox.ts'
import type {faultOrder} from '../../src/sandbox/door/faults.ts'

// Types that the program itself never has to name: of what its functions take and return.
export type Sandbox = Awaited<ReturnType<typeof createSandbox>>
export type SandboxOptions = NonNullable<Parameters<typeof createSandbox>[0]>
export type FaultOrder = z.output<typeof faultOrder>
export type BulkRun = Parameters<typeof runBulkOrders>[0]
export type PreviewRun = Parameters<typeof previewOrders>[0]
export type CartImportRun = Parameters<typeof runCartImport>[0]

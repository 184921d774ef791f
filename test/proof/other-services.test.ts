import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {address as shippingAddress} from '../support/address.ts'
import {scentAmongMany as run} from '../support/many.ts'
import type {Ran} from '../support/scent.ts'
import {checkCanary, userAt} from '../support/served-shop.ts'
import {detailOf, type Habits, money, type OtherService, otherService, variant} from './other-service.ts'

interface Visit {
  service: OtherService
  scent(...argv: string[]): Promise<Ran>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
  json(...argv: string[]): Promise<any>
  address: string
}

/** Runs `work` as a user of a service with these habits. */
async function at(habits: Habits, work: (visit: Visit) => Promise<void>, more: NodeJS.ProcessEnv = {}) {
  const service = await otherService(habits)
  const env = {...userAt(service.url, 'someone', 'canary-secret-1f6b'), ...more}
  const address = join(env.HOME ?? '', 'address.json')
  writeFileSync(address, JSON.stringify(shippingAddress))
  const said: string[] = []
  const scent = async (...argv: string[]) => {
    const end = await run(env, argv)
    said.push(end.stdout, end.stderr)
    return end
  }
  const json = async (...argv: string[]) => {
    const {code, stdout, stderr} = await scent(...argv, '--json')
    expect(code, stdout + stderr).toBe(0)
    return JSON.parse(stdout)
  }
  try {
    await work({service, scent, json, address})
    checkCanary(env, 'canary-secret-1f6b', said)
  } finally {
    await service.close()
  }
}

const checkout = ({address}: Visit, ...more: string[]) => [
  ...[
    'checkout',
    '--address',
    address,
    '--yes',
    ...(more.some((word) => word.startsWith('--reference')) ? [] : ['--reference', 'PO-1']),
  ],
  ...more,
]

/** Fills the bare cart, and orders it. The order is made, and the first answer is lost. */
async function orderLost(visit: Visit, ...more: string[]): Promise<Ran> {
  await visit.json('cart', 'add', `${variant}=2`, ...more)
  return visit.scent(...checkout(visit, ...more), '--json')
}

const lost: Habits[string] = (usual, _, nth) => {
  const reply = usual()
  return nth === 1 ? {lost: true} : reply
}

describe.concurrent('a service that obeys the spec in its own way', () => {
  test('takes an order from cart to wallet, with the digits that it sends', () =>
    at({}, async (visit) => {
      const {scent, service} = visit
      for (const customer of [[], ['--customer', 'C/1']]) {
        const added = await scent('cart', 'add', `${variant}=2`, ...customer, '--json')
        expect(added.stdout).toContain('"chargedWithVat": 10.50')
        expect(added.stdout).toContain('"giftWrap"')
        for (const output of ['table', 'csv', 'ndjson']) {
          const shown = await scent('cart', 'show', ...customer, '--output', output)
          expect(shown.code, shown.stderr).toBe(0)
        }
        const ended = await scent(
          ...checkout(visit, ...customer, `--reference=PO${customer.length}`),
          '--json',
        )
        expect(ended.code, ended.stdout).toBe(0)
        expect(ended.stdout).toContain('"total": 10.50')
        expect(ended.stdout).toContain('"status": "Dreaming"')
        const {id} = JSON.parse(ended.stdout)
        for (const name of [id, service.orders.at(-1)?.globalId ?? '']) {
          const got = await scent('orders', 'get', name)
          expect(got.code, got.stderr).toBe(0)
          expect(got.stdout).toContain(id)
        }
      }
      const ledger = await scent('wallet', 'transactions', '--all', '--output', 'csv')
      expect(ledger.stdout).toMatch(/Gift.*0\.10.*10\.60/)
      expect((await scent('wallet', 'balance', '--json')).stdout).toContain('10.60')
    }))

  test('checks the lock before the reference: a lost order is found by ALREADY_USED', () =>
    at({'POST /scent/orders': lost}, async (visit) => {
      const {code, stdout} = await orderLost(visit, '--customer', 'C')
      expect(code, stdout).toBe(0)
      expect(JSON.parse(stdout).id).toBe(visit.service.orders[0]?.id)
      expect(visit.service.orders).toHaveLength(1)
    }))

  test('names the existing order by its global id', () => {
    const habits: Habits = {
      'POST /scent/orders': (usual, _, nth) => {
        const reply = usual()
        if (nth === 1) return {lost: true}
        return {...reply, state: 'CONFLICT_ORDER_DUPLICATE_REFERENCE', details: {orderId: 'G/1'}}
      },
    }
    return at(habits, async (visit) => {
      const {code, stdout} = await orderLost(visit)
      expect(code, stdout).toBe(0)
      expect(JSON.parse(stdout).id).toBe(visit.service.orders[0]?.id)
    })
  })

  test('has lost the details of an order that exists', () => {
    const header = (id?: string) => ({
      header: {
        orderGlobalId: 'G/1',
        productOrderId: id,
        externalReference: 'PO-1',
        amount: money('10.50'),
        currency: 'SAR',
        status: 'Processing',
      },
      scentDetail: null,
      detailUnavailableReason: 'A_REASON_OF_TOMORROW',
    })
    const habits: Habits = {
      'POST /scent/orders': lost,
      'GET /scent/orders/*': (_, {url}) => ({state: 'SUCCESS', payload: header(url.split('/').at(-1))}),
    }
    return at(habits, async (visit) => {
      const {code, stdout} = await orderLost(visit, '--customer', 'C')
      expect(code, stdout).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({id: visit.service.orders[0]?.id, externalReference: 'PO-1'})
    })
  })

  test('answers an order without its total: the order is read instead of believed', () => {
    const habits: Habits = {
      'POST /scent/orders': (usual, _, nth) => {
        const reply = usual()
        return nth === 1 ? {...reply, payload: {...reply.payload, pricing: {}}} : reply
      },
    }
    return at(habits, async (visit) => {
      const {code, stdout} = await orderLost(visit, '--customer', 'C')
      expect(code, stdout).toBe(0)
      expect(visit.service.orders).toHaveLength(1)
      expect(visit.service.routes().filter((route) => route === 'POST /scent/orders')).toHaveLength(2)
    })
  })

  test('answers another order than the one sent: nothing is believed, and nothing is sent again', () => {
    const habits: Habits = {
      'POST /scent/orders': (usual) => {
        const reply = usual()
        return {...reply, payload: {...reply.payload, externalReference: 'PO-of-somebody'}}
      },
    }
    return at(habits, async (visit) => {
      const {code, stdout} = await orderLost(visit, '--customer', 'C')
      expect(JSON.parse(stdout).error).toMatchObject({details: {externalReference: 'PO-1'}})
      expect(code).toBe(12)
    })
  })

  test('says that the order exists, and not which one: the outcome is open, and said so', () => {
    const habits: Habits = {
      'POST /scent/orders': (usual, _, nth) => {
        const reply = usual()
        if (nth === 1) return {lost: true}
        return {...reply, state: 'CONFLICT_ORDER_DUPLICATE_REFERENCE', details: null}
      },
    }
    return at(habits, async (visit) => {
      const {code, stdout} = await orderLost(visit, '--customer', 'C')
      expect(code, stdout).toBe(12)
      expect(JSON.parse(stdout).error).toMatchObject({
        state: 'OUTCOME_UNKNOWN',
        details: {externalReference: 'PO-1'},
      })
    })
  })

  test('fails an order after all', () => {
    const habits: Habits = {
      'POST /scent/orders': (usual) => {
        const reply = usual()
        return {...reply, payload: {...reply.payload, status: 'Failed', failureReason: 'MOON_PHASE'}}
      },
    }
    return at(habits, async (visit) => {
      const {code, stdout} = await orderLost(visit, '--customer', 'C')
      expect(code).toBe(7)
      expect(JSON.parse(stdout).error.message).toContain('MOON_PHASE')
    })
  })

  test('hides behind a proxy with pages of its own', () => {
    const page = '<html><h1>502 Bad Gateway</h1></html>'
    const down: Habits[string] = (usual, _, nth) => (nth === 1 ? {status: 502, raw: page} : usual())
    const afterwards: Habits[string] = (usual, _, nth) => {
      const reply = usual()
      return nth === 1 ? {status: 502, raw: page} : reply
    }
    const habits: Habits = {
      'POST /auth/token': down,
      'GET /scent/cart/checkout-preview': down,
      'GET /scent/cart/*': down,
      'POST /scent/cart/items': afterwards,
      'POST /scent/orders': afterwards,
    }
    return at(habits, async (visit) => {
      const {code, stdout} = await orderLost(visit, '--customer', 'C')
      expect(code, stdout).toBe(0)
      expect(visit.service.orders).toMatchObject([{lines: [[variant, 2]]}])
    })
  })

  test('gives a Retry-After as a date', () => {
    const habits: Habits = {
      'GET /wallet/transactions': (usual, _, nth) =>
        nth === 1
          ? {
              status: 429,
              state: 'RATE_LIMITED',
              headers: {'retry-after': new Date(Date.now() + 1_500).toUTCString()},
            }
          : usual(),
    }
    return at(habits, async ({json, service}) => {
      await json('wallet', 'balance')
      expect(service.routes().filter((route) => route === 'GET /wallet/transactions')).toHaveLength(2)
    })
  })

  test('sends times without a zone, which are UTC, whatever the zone of this machine', () => {
    const habits: Habits = {
      'GET /scent/cart/checkout-preview': (usual) => {
        const reply = usual()
        const pricedAt = new Date().toISOString().slice(0, -1)
        return {...reply, payload: {...reply.payload, pricedAt}}
      },
    }
    // Read as local time the lock would have run out before it began.
    const env = {TZ: 'America/Los_Angeles'}
    return at(
      habits,
      async (visit) => {
        await visit.json('cart', 'add', variant, '--customer', 'C')
        await visit.json(...checkout(visit, '--customer', 'C'))
        expect(visit.service.seen.filter(({url}) => url.includes('lock=true'))).toHaveLength(1)
      },
      env,
    )
  })

  test('answers a cart of another customer: nothing goes on with it', () => {
    const habits: Habits = {
      'GET /scent/cart/*': (usual) => {
        const reply = usual()
        return {...reply, payload: {...reply.payload, customerRef: 'somebody else'}}
      },
    }
    return at(habits, async ({scent, service}) => {
      const {code} = await scent('cart', 'add', variant, '--customer', 'C')
      expect(code).not.toBe(0)
      expect(service.routes()).not.toContain('POST /scent/cart/items')
    })
  })

  test.each([
    ['a list without any pagination', {items: []}],
    ['a list of one page', {items: [], pagination: null}],
  ])('answers %s', (_, payload) =>
    at({'GET /scent/variants': () => ({state: 'SUCCESS', payload})}, async ({scent}) => {
      for (const more of [['--json'], ['--all'], ['--output', 'csv']]) {
        const ended = await scent('catalog', 'variants', ...more)
        expect(ended.code, ended.stderr).toBe(0)
      }
    }),
  )

  test.each([
    ['nothing', '', 200],
    ['half a document', '{"state":"SUCCESS","payl', 200],
    ['no envelope', '[]', 200],
    ['a page of a proxy', '<html>login</html>', 200],
    ['a redirect', '', 302],
    ['a success without a payload', '{"state":"SUCCESS","payload":{}}', 404],
    ['nested ever deeper', '['.repeat(100_000), 200],
    ['numbers that are none', '{"state":"SUCCESS","payload":{"items":[],"pagination":{"page":NaN}}}', 200],
  ])('answers %s, and is told apart from a bug of ours', (_, raw, status) =>
    at(
      {'GET /scent/variants': () => ({raw, status, headers: {location: 'http://127.0.0.1:1/'}})},
      async ({scent}) => {
        const {code, stdout} = await scent('catalog', 'variants', '--json')
        expect(JSON.parse(stdout).error.state).toBe('ODD_ANSWER')
        expect(code).toBe(10)
      },
    ),
  )
})

describe.concurrent('a job of orders, at a service that obeys the spec in its own way', () => {
  const rows = ['PO-1', 'PO-2', 'PO-3'].map((externalReference, n) => ({
    ...{externalReference, customerRef: `C-${n}`, shippingAddress},
    lines: [{variantId: variant, quantity: 2}],
  }))
  const file = ({address}: Visit) => {
    const path = address.replace(/[^/]+$/, 'orders.ndjson')
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    return path
  }
  const habits: Record<string, Habits> = {
    'that answers it all': {},
    'that loses the answer of an order': {'POST /scent/orders': lost},
    'that loses the answer of an add': {'POST /scent/cart/items': lost},
    'that loses the answer of a lock': {'GET /scent/cart/checkout-preview': lost},
    'that is behind a proxy that gives up': {
      'POST /scent/orders': (usual, _, nth) => {
        const reply = usual()
        return nth < 3 ? {status: 504, raw: '<html>'} : reply
      },
    },
  }
  test.each(Object.entries(habits))('%s makes each of them once', (_, habit) =>
    at(habit, async (visit) => {
      const {summary, orders} = await visit.json('orders', 'import', file(visit), '--yes')
      expect(summary).toEqual({placed: 3, alreadyPlaced: 0, refused: 0, unknown: 0})
      expect(visit.service.orders.map(({reference}) => reference).sort()).toEqual(['PO-1', 'PO-2', 'PO-3'])
      const ids = new Map(visit.service.orders.map(({reference, id}) => [reference, id]))
      for (const {externalReference, orderId} of orders) expect(orderId).toBe(ids.get(externalReference))
      for (const {lines} of visit.service.orders) expect(lines).toEqual([[variant, 2]])
    }),
  )
})

describe.concurrent('a job whose orders were made, and none was answered, knows what each was charged', () => {
  const rows = ['PO-1', 'PO-2'].map((externalReference, n) => ({
    ...{externalReference, customerRef: `C-${n}`, shippingAddress},
    lines: [{variantId: variant, quantity: 2}],
  }))
  const debit = () => ({
    ...{transactionType: 'Debit', referenceType: 'Order', amount: money('10.50'), currency: 'SAR'},
    ...{balanceBefore: money('50.00'), balanceAfter: money('39.50'), timestamp: new Date().toISOString()},
  })
  const unheard: Habits = {
    'POST /scent/orders': (usual, request) => {
      const reply = usual()
      return reply.status === 200 && request.method === 'POST' ? {lost: true} : reply
    },
    'GET /wallet/transactions': () => ({
      ...{status: 200, state: 'SUCCESS'},
      payload: {items: [debit(), debit()], pagination: {page: 1, totalPages: 1}},
    }),
  }
  const header = {amount: money('10.50'), currency: 'SAR', status: 'Processing'}
  test.each<{tells: string; habits: Habits}>([
    {tells: 'nowhere: it is that of the lock', habits: {}},
    {
      tells: 'by the global id alone',
      habits: {'GET /orders/*': () => ({status: 200, state: 'SUCCESS', payload: {header}})},
    },
    {
      tells: 'nowhere, and knows no global id',
      habits: {'GET /orders/*': () => ({status: 500, state: 'ODD'})},
    },
  ])('where the service tells it $tells', ({habits}) =>
    at({...unheard, ...habits}, async (visit) => {
      const path = visit.address.replace(/[^/]+$/, 'orders.ndjson')
      writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      const {summary, orders, ledger} = await visit.json('orders', 'import', path, '--yes')
      expect(summary).toEqual({placed: 2, alreadyPlaced: 0, refused: 0, unknown: 0})
      expect(orders).toMatchObject([{total: 10.5}, {total: 10.5}])
      expect(ledger).toMatchObject({proved: true, debits: 2, total: '21', missing: []})
    }),
  )
})

test('a bare scentDetail shows as an order too', () =>
  at({}, async (visit) => {
    await visit.json('cart', 'add', `${variant}=2`)
    const {id} = await visit.json(...checkout(visit))
    expect(await visit.json('orders', 'get', id)).toMatchObject({id, externalReference: 'PO-1'})
    const [order] = visit.service.orders
    expect(order && detailOf(order).lines).toHaveLength(1)
    const shown = await visit.scent('orders', 'get', id)
    expect(shown.stdout).toContain('PO-1')
    expect(shown.stdout).toContain('10.50')
  }))

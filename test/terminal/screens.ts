import type {Answer} from '../support/pty.ts'

/** The main screen of a command: what is typed, and what stands there then. */
export interface Screen {
  /** The command line; `<name>` stands for what stage.ts calls so. */
  line: string
  /** What is typed before, where nobody looks. */
  before?: string
  /** Facts that must stand in it. */
  holds: string[]
  /** Facts that stand in 80 columns, and in 40 only if there is room: it is said that they are hidden. */
  wide?: string[]
  /** What it asks in a terminal, and what is answered. */
  asks?: Answer[]
  /** Prints a text for a program, whose lines no terminal may break. */
  isForPrograms?: true
  /** A pipe shows other words: more rows, by design, or another moment, or the parts of what a person reads as one. */
  differsInPipe?: true
  /** Who types it, where it would change what the others look at. */
  user?: 'another of the sandbox' | 'of a sandbox of its own' | 'without anything'
}

const uuid = '2c271271-3523-4d0e-9c3a-9d538ae1b155'

export const screens: {[id: string]: Screen} = {
  api: {line: 'api GET scent/brands', holds: ['"items"'], isForPrograms: true},
  'auth:list': {line: 'auth list', holds: ['staging', 'warda'], wide: ['warda-boutique']},
  'auth:login': {
    line: 'auth login --sandbox --storage file --name again',
    holds: ['Logged in.', 'again', 'Before it was "staging"'],
    user: 'another of the sandbox',
  },
  'auth:logout': {
    line: 'auth logout warda',
    holds: ['Profile "warda"', 'removed'],
    user: 'another of the sandbox',
  },
  'auth:status': {
    line: 'auth status',
    holds: ['staging', 'rimal-retail', 'The service accepts this credential'],
  },
  'auth:token': {line: 'auth token', holds: ['.'], isForPrograms: true},
  'auth:use': {line: 'auth use staging', holds: ['Profile "staging" is in use.']},
  autocomplete: {line: 'autocomplete bash', holds: ['scent'], isForPrograms: true},
  'cart:add': {line: 'cart add <saffron>=2 --customer C-ADDED', holds: ['RML-SAF-050']},
  'cart:clear': {
    line: 'cart clear --customer C-CLEAR',
    holds: ['Remove all lines of the cart of C-CLEAR?', 'The cart is empty.'],
    asks: [['(y/N)', 'y\r']],
  },
  'cart:import': {
    line: 'cart import <home>/lines.csv --customer C-IMPORT',
    holds: ['NJD-INC-002', 'RML-SAF-050', 'added'],
    wide: ['C-IMPORT'],
    asks: [['(y/N)', 'y\r']],
  },
  'cart:notify': {line: 'cart notify 21a27be4-4486-4e22-b786-48ab92ba603a', holds: ['21a27be4']},
  'cart:remove': {line: 'cart remove <saffron> --customer C-REMOVE', holds: ['NJD-INC-002']},
  'cart:set': {line: 'cart set <saffron> --quantity 5 --customer C-CHANGED', holds: ['RML-SAF-050', '5']},
  'cart:show': {line: 'cart show --customer C-1001', holds: ['RML-SAF-050', 'NJD-INC-002', 'SAR']},
  'catalog:brands': {line: 'catalog brands', holds: ['Rimal']},
  'catalog:scents': {line: 'catalog scents', holds: ['Saffron']},
  'catalog:sync': {line: 'catalog sync', holds: ['Variants known']},
  'catalog:variant': {line: 'catalog variant <saffron>', holds: ['RML-SAF-050']},
  'catalog:variants': {
    line: 'catalog variants --include pricing,availability --page-size 5',
    holds: ['NJD-INC-002', 'INCL. VAT'],
    wide: ['Available'],
  },
  checkout: {
    line: 'checkout --customer C-WALK',
    holds: ['Cart of C-WALK', 'RML-SAF-050', 'To be ordered', 'to the wallet'],
    asks: [
      ['Recipient', 'Noura Al-Harbi\r'],
      ['Street and building', 'King Fahd Road 12, building 7, third floor\r'],
      ['More of the street', '\r'],
      ['City', 'Riyadh\r'],
      ['National short address', 'RRRD2929\r'],
      ['Region', '\r'],
      ['Postal code', '\r'],
      ['Country', '\r'],
      ['Phone', '+966501234567\r'],
      ['prices held for', 'y\r'],
    ],
  },
  'checkout:lock': {line: 'checkout lock --customer C-1001', holds: ['RML-SAF-050']},
  'checkout:preview': {line: 'checkout preview --customer C-1001', holds: ['RML-SAF-050', 'NJD-INC-002']},
  'commissions:list': {line: 'commissions list', holds: ['Provisional', '66.52 SAR']},
  'commissions:object': {
    line: 'commissions object a6b23fd1-e4ce-41eb-a0bf-2561b34d328b --reason "Order SCN-0000000004 is missing."',
    holds: ['It can be done once.', 'Order SCN-0000000004 is missing.'],
    asks: [['(y/N)', 'y\r']],
  },
  complete: {
    line: 'complete variants "cart add" -- cart add RML-SAF-0',
    before: 'catalog sync',
    holds: ['RML-SAF-050', 'Saffron Dune, 50 ml'],
    isForPrograms: true,
  },
  'config:get': {line: 'config get customer', holds: ['customer', 'default']},
  'config:list': {line: 'config list', holds: ['staging', 'rate-share', '/state', 'max-total']},
  'config:set': {
    line: 'config set columns.orders.list externalReference,total',
    holds: ['externalReference,total', 'config'],
    user: 'another of the sandbox',
  },
  'config:unset': {
    line: 'config unset rate-share',
    holds: ['rate-share', '1'],
    user: 'another of the sandbox',
  },
  'discounts:create': {
    line: 'discounts create RAMADAN15 --type Percent --value 15 --valid-from 2026-02-18 --valid-to 2027-03-20',
    holds: ['RAMADAN15', '15'],
    differsInPipe: true,
  },
  'discounts:list': {line: 'discounts list', holds: ['SAFFRON25']},
  'discounts:update': {
    line: 'discounts update fc661550-2633-4d85-afec-3267e51bbbb4 --no-active',
    holds: ['WELCOME10'],
    differsInPipe: true,
  },
  doctor: {
    line: 'doctor',
    holds: ['credential', 'state folder', 'It accepts the credential'],
    differsInPipe: true,
  },
  explain: {line: 'explain VALIDATION_PRICE_LOCK_EXPIRED', holds: ['VALIDATION_PRICE_LOCK_EXPIRED']},
  help: {line: 'help auth', holds: ['auth login', 'CREDENTIALS', 'gnome-keyring']},
  'jobs:list': {line: 'jobs list', holds: ['finished'], wide: ['3 placed', '1 placed']},
  'jobs:resume': {line: 'jobs resume <job>', holds: ['all 3 orders were charged once'], differsInPipe: true},
  'jobs:show': {
    line: 'jobs show <refusedJob>',
    holds: ['REF-1', 'which this run did not put there.'],
    differsInPipe: true,
  },
  'notices:import': {
    line: 'notices import <home>/notice.json',
    holds: ['1 text taken in', '1 of 2', 'cancel 2', 'RML-SAF-050'],
    differsInPipe: true,
    user: 'another of the sandbox',
  },
  'notices:inbox': {
    line: 'notices inbox',
    before: 'notices import <home>/notice.json',
    holds: ['the API has no list of notices', '71 h', 'RML-SAF-050', 'cancel 2', 'listen'],
    differsInPipe: true,
  },
  'notices:respond': {
    line: 'notices respond <notice>',
    before: 'notices import <home>/notice.json',
    holds: ['RML-SAF-050', 'cancel 2', 'ships 1, cancels 1, refunds about 138.58 SAR', 'Resolved'],
    asks: [['Which choice?', '\u001b[B\u001b[B\r']],
  },
  'notices:show': {
    line: 'notices show <notice>',
    before: 'notices import <home>/notice.json',
    holds: ['What is recorded of it', 'AwaitingPartnerResponse'],
    differsInPipe: true,
  },
  'orders:create': {
    line: 'orders create --lock <lock> --reference PO-119 --customer C-LOCKED --address <home>/address.json',
    holds: ['PO-119', 'Processing'],
  },
  'orders:get': {line: 'orders get <delivered>', holds: ['PO-DELIVERED', '305.90 SAR', 'RML-SAF-050']},
  'orders:import': {
    line: 'orders import <home>/more.csv',
    holds: ['Place 2 orders', 'all 2 orders were charged once', 'scent jobs resume'],
    asks: [['(y/N)', 'y\r']],
  },
  'orders:list': {line: 'orders list', holds: ['NOV-0', 'NOV-2', 'REF-2']},
  'orders:track': {line: 'orders track <delivered>', holds: ['Delivered']},
  'reports:sales': {line: 'reports sales --from 2026-01-01 --to 2027-02-01', holds: ['SAR']},
  'returns:create': {
    line: 'returns create <delivered>',
    holds: ['RML-SAF-050', 'Damaged', 'Requested'],
    asks: [
      ['Units of RML-SAF-050', '1\r'],
      ['Reason code', '\r'],
      ['(y/N)', 'y\r'],
    ],
  },
  'returns:list': {line: 'returns list', holds: ['RMA-', 'Requested']},
  'returns:withdraw': {
    line: 'returns withdraw <return>',
    holds: ['Withdrawn'],
    asks: [['(y/N)', 'y\r']],
  },
  'sandbox:clock': {line: 'sandbox clock', holds: ['+03:00']},
  'sandbox:deliver': {line: 'sandbox deliver PO-ON-ITS-WAY', holds: ['SCN-', 'Delivered']},
  'sandbox:event': {line: 'sandbox event order.completed', holds: ['order.completed']},
  'sandbox:fault': {
    line: 'sandbox fault --effect reset --path /nowhere --times 1',
    holds: ['/nowhere'],
    differsInPipe: true,
  },
  'sandbox:notice': {
    line: 'sandbox notice PO-AT-RISK --line RML-SAF-050 --available 1',
    holds: ['OutOfStock'],
  },
  'sandbox:partner': {line: 'sandbox partner', holds: ['Rimal Retail', 'Dormant Trading']},
  'sandbox:requests': {line: 'sandbox requests --limit 5', holds: ['200'], differsInPipe: true},
  'sandbox:reset': {line: 'sandbox reset --yes', holds: ['demo'], user: 'of a sandbox of its own'},
  'sandbox:return': {line: 'sandbox return <returnToMove> accept', holds: ['RMA-']},
  'sandbox:start': {
    line: 'sandbox start --memory --port 0',
    holds: ['Serving http://127.0.0.1:', 'rimal-retail', 'scent auth login --sandbox'],
    asks: [['Ctrl-C stops it.', '\u0003']],
    user: 'without anything',
  },
  'sandbox:status': {line: 'sandbox status', holds: ['http://127.0.0.1:']},
  'sandbox:stop': {
    line: 'sandbox stop',
    before: 'sandbox start --detach --memory --port 0',
    holds: ['STOPPED'],
    user: 'without anything',
  },
  'sandbox:variant': {line: 'sandbox variant NJD-LEA-050 --stock 7', holds: ['NJD-LEA-050', '7']},
  'sandbox:webhook': {
    line: 'sandbox webhook duplicate <webhook>',
    holds: ['Connection failed', 'order.completed'],
  },
  'statements:get': {line: `statements get ${uuid}`, holds: ['SAR', 'Its totals are the sums of its lines.']},
  'statements:report': {line: 'statements report --from 2026-11-01 --to 2026-11-30', holds: ['SAR']},
  'update-check': {line: 'update-check', holds: [], isForPrograms: true},
  version: {line: 'version', holds: ['scent']},
  'wallet:balance': {line: 'wallet balance', holds: ['SAR']},
  'wallet:transactions': {line: 'wallet transactions', holds: ['Debit', 'SAR']},
  'webhooks:create': {
    line: 'webhooks create --url https://127.0.0.1:9/hooks/of-the-warehouse --event order.completed --event shipment.delivered',
    holds: ['order.completed', 'shipment.delivered', 'Keep the signing secret'],
  },
  'webhooks:deliveries': {
    line: 'webhooks deliveries <webhook>',
    holds: ['Connection failed'],
    wide: ['order.completed'],
  },
  'webhooks:disable': {line: 'webhooks disable <disabled>', holds: ['Active', 'no']},
  'webhooks:enable': {line: 'webhooks enable <enabled>', holds: ['Active', 'yes']},
  'webhooks:list': {line: 'webhooks list', holds: ['hooks/orders']},
  'webhooks:test': {line: 'webhooks test <webhook> --event order.completed', holds: ['order.completed']},
  'webhooks:timeline': {
    line: 'webhooks timeline <webhook>',
    holds: ['order.completed', 'retrying', 'Start the receiver at', 'scent webhooks listen --subscription'],
    wide: ['Connection failed'],
    differsInPipe: true,
  },
  'webhooks:update': {
    line: 'webhooks update <changed> --url http://127.0.0.1:9/v2',
    holds: ['http://127.0.0.1:9/v2'],
  },
  'webhooks:events': {line: 'webhooks events', holds: ['NOTHING_MATCHED']},
  'webhooks:listen': {
    line: 'webhooks listen --port 0 --for 1s',
    holds: ['Ready on http://127.0.0.1:', 'signatures checked'],
    differsInPipe: true,
  },
  'webhooks:prune': {
    line: 'webhooks prune --older-than 30 --yes',
    holds: ['Nothing to remove: there is no file of which nothing was written for 30 days.'],
    differsInPipe: true,
  },
  'webhooks:replay': {
    line: 'webhooks replay --since 1d --to http://127.0.0.1:9/hook',
    holds: ['NOTHING_MATCHED'],
  },
  'webhooks:verify': {
    line: 'webhooks verify <home>/delivery.json',
    holds: [
      'when its JSON is written without spaces',
      'signed {"eventId":"77e0',
      'here {"eventId": "77e0',
      'something between the service and this machine rewrites bodies',
      'Scheme {timestamp}.{body} sha256 hex, signed 3 s before it arrived',
      'SIGNATURE_MISMATCH',
    ],
  },
  'wishlist:add': {line: 'wishlist add <saffron> --customer C-WISH', holds: ['RML-SAF-050']},
  'wishlist:remove': {line: 'wishlist remove <saffron> --customer C-1042', holds: ['The wishlist is empty.']},
  'wishlist:show': {line: 'wishlist show --customer CUST-1001', holds: ['RML-SAF-050', 'NJD-ROY-050']},
}

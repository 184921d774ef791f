/**
 * The way out of a failure for a person or a script: change the request, log in, read what exists already, repeat
 * later, let a person choose, or ask support. Printed with every failure, for those who read it; the program itself
 * decides by `ran`, `cure`, `scope` and `order`.
 */
export type Remedy = 'fix' | 'login' | 'settle' | 'wait' | 'decide' | 'support'

/** How a create of an order goes on after a refusal (flows/order/machine.ts); a code without it ends the order. */
export type OrderAnswer =
  | 'again'
  | 'in-progress'
  | 'race'
  | 'cart-busy'
  | 'exists'
  | 'lock-used'
  | 'lock-gone'
  | 'for-a-person'

/** The fields that people, scripts and the program decide by. A row states those that differ from its HTTP class. */
interface Decides {
  remedy: Remedy
  /** Whether the request ran, as far as the failure proves it: nothing ran; it ran and was refused; or neither. */
  ran: 'no' | 'refused' | 'maybe'
  /**
   * Whether the same request is sent again, if its operation allows that: never, after a growing pause, after the pause
   * that the service asks for, or with a new token.
   */
  cure: 'none' | 'backoff' | 'obey' | 'renew'
  /** How often it is sent in all, if not as often as others. */
  sends?: number
  /** How far it reaches in a job: this row is refused, the service is waited for, or the whole job stops. */
  scope: 'row' | 'wait' | 'job'
  order?: OrderAnswer
}

interface Words {
  /** One sentence: what happened. */
  says: string
  /** The next step, a command if there is one. */
  next: string
}

interface CatalogueRow extends Words, Partial<Decides> {
  /** The HTTP status that the spec gives it; absent on our own codes. */
  http?: number
  /** Only if the status does not decide the exit code. */
  exit?: number
}

export type CatalogueEntry = CatalogueRow & Decides

const relock = 'Preview and lock again with `scent checkout`; keep the same reference.'
const readBack = 'Read what exists: `scent orders get REFERENCE`, or with the order id in the details.'

/** Every code of the spec (Errors), in its order, then our own. */
export const catalogue = {
  // Gateway codes
  UNAUTHORIZED_MISSING_TOKEN: {
    http: 401,
    ran: 'no',
    says: 'The request carried no bearer token.',
    next: 'Check the Authorization header; `scent auth status` shows the credential in use.',
  },
  UNAUTHORIZED_INVALID_TOKEN: {
    http: 401,
    ran: 'no',
    says: 'The service does not accept this token: malformed, tampered, for another audience, or not a partner token.',
    next: 'Check that the credential belongs to this host: `scent auth status`.',
  },
  UNAUTHORIZED_TOKEN_EXPIRED: {
    http: 401,
    remedy: 'login',
    ran: 'no',
    cure: 'renew',
    says: 'The token is past its 5 minutes, and a new one was refused as well.',
    next: 'Check the clock of this machine, then `scent auth status`.',
  },
  UPSTREAM_AUTH_FAILED: {
    http: 401,
    exit: 10,
    remedy: 'wait',
    ran: 'maybe',
    cure: 'backoff',
    scope: 'wait',
    order: 'again',
    says: 'A service behind the gateway refused the gateway. The fault is on the server side.',
    next: 'Repeat later; the credential is not the cause.',
  },
  FORBIDDEN: {
    http: 403,
    remedy: 'support',
    says: 'This route is not available to the credential.',
    next: 'Ask the account manager to enable it.',
  },
  AUTH_ENVIRONMENT_MISMATCH: {
    http: 403,
    exit: 3,
    remedy: 'login',
    says: 'The credential belongs to another environment than this host (staging or production).',
    next: 'Log in with the credential of this environment: `scent auth login`, or choose a profile: `scent auth use NAME`.',
  },
  NOT_FOUND_ROUTE: {
    http: 404,
    ran: 'no',
    scope: 'job',
    says: 'The service has no such route.',
    next: 'Check the base URL: `scent auth status`.',
  },
  METHOD_NOT_ALLOWED: {
    http: 405,
    ran: 'no',
    says: 'The path exists, with other methods.',
    next: 'See which methods it takes: `scent explain PATH`.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    http: 415,
    ran: 'no',
    says: 'The body is not application/json.',
    next: 'Send the header Content-Type: application/json.',
  },
  RATE_LIMITED: {
    http: 429,
    remedy: 'wait',
    ran: 'no',
    cure: 'obey',
    scope: 'wait',
    says: 'The quota of this credential is used up (300 requests in 60 seconds, 10 for tokens).',
    next: 'Repeat after the seconds named in Retry-After; see who else uses this credential.',
  },
  BAD_GATEWAY: {
    http: 502,
    says: 'The gateway got no valid answer from the service behind it.',
    next: 'Repeat later.',
  },
  SERVICE_UNAVAILABLE: {http: 503, says: 'The service is unavailable.', next: 'Repeat later.'},
  GATEWAY_TIMEOUT: {
    http: 504,
    says: 'The service behind the gateway did not answer in time.',
    next: 'Repeat later; an order with the same reference.',
  },

  // Query and paging codes
  VALIDATION_UNKNOWN_QUERY_PARAMETER: {
    http: 400,
    says: 'The endpoint does not know a query parameter.',
    next: 'Use the parameters named in details.allowedParameters.',
  },
  VALIDATION_INVALID_DATE: {
    http: 400,
    says: 'A date does not parse, or the start is after the end.',
    next: 'Write dates as 2026-01-31 or 2026-01-31T10:00:00Z, the earlier one first.',
  },
  VALIDATION_INVALID_PAGE_SIZE: {
    http: 400,
    says: 'The page size is not a whole number from 1 to 100.',
    next: 'Give --page-size from 1 to 100.',
  },
  VALIDATION_INVALID_PAGE: {
    http: 400,
    says: 'The page is not a whole number of 1 or more.',
    next: 'Give --page 1 or more.',
  },
  VALIDATION_UNKNOWN_INCLUDE: {
    http: 400,
    says: 'The include list holds a token that the endpoint does not know.',
    next: 'Use pricing, availability or tax.',
  },
  VALIDATION_INVALID_QUERY_PARAMETER: {
    http: 400,
    says: 'A query value is not of its type.',
    next: 'See the details for the parameter and the values it takes.',
  },

  // Service codes
  UNAUTHORIZED_INVALID_CREDENTIALS: {
    http: 401,
    remedy: 'login',
    says: 'The service does not know this client id and secret. It never says which of the two is wrong.',
    next: 'Log in again: `scent auth login`.',
  },
  UNAUTHORIZED_PARTNER_INACTIVE: {
    http: 401,
    remedy: 'support',
    says: 'The partner account is inactive.',
    next: 'Ask the account manager.',
  },
  FORBIDDEN_NOT_YOUR_DESCENDANT: {
    http: 403,
    says: 'The partner to act for is not a descendant of your account.',
    next: 'Check the partner id given with --as.',
  },
  FORBIDDEN_DELEGATION_TARGET_INVALID: {
    http: 403,
    says: 'The partner to act for is your own account, or inactive.',
    next: 'Check the partner id given with --as, or leave it out.',
  },
  NOT_FOUND_ORDER: {
    http: 404,
    says: 'Your account has no such order.',
    next: 'Give its reference if it was made from here, its Scent id or its global id; `scent orders list` shows those made here.',
  },
  NOT_FOUND_SCENT_ORDER: {
    http: 404,
    says: 'Your account has no such order.',
    next: 'Give its reference if it was made from here, its Scent id or its global id; `scent orders list` shows those made here.',
  },
  NOT_FOUND_WALLET: {
    http: 404,
    remedy: 'support',
    says: 'No wallet is provisioned yet.',
    next: 'Ask the account manager.',
  },
  NOT_FOUND_STATEMENT: {
    http: 404,
    says: 'Your account has no such statement.',
    next: 'Check the statement id.',
  },
  NOT_FOUND_COMMISSION_PERIOD: {
    http: 404,
    says: 'Your account has no such commission period.',
    next: 'See `scent commissions list`.',
  },
  NOT_FOUND_WEBHOOK_SUBSCRIPTION: {
    http: 404,
    says: 'Your account has no such webhook subscription.',
    next: 'See `scent webhooks list`.',
  },
  NOT_FOUND_SCENT: {http: 404, says: 'The catalog has no such scent.', next: 'See `scent catalog scents`.'},
  NOT_FOUND_BRAND: {http: 404, says: 'The catalog has no such brand.', next: 'See `scent catalog brands`.'},
  NOT_FOUND_VARIANT: {
    http: 404,
    says: 'No such variant, or it is not in the assortment of this account.',
    next: 'See `scent catalog variants`.',
  },
  NOT_FOUND_CART_ITEM: {
    http: 404,
    says: 'The cart has no line with this variant.',
    next: 'See `scent cart show`; `scent cart add SKU` makes a line.',
  },
  NOT_FOUND_FULFILLMENT_GROUP: {
    http: 404,
    says: 'The order has no such fulfillment group.',
    next: 'See the groups with `scent orders track ID`.',
  },
  NOT_FOUND_ORDER_LINE: {
    http: 404,
    says: 'The order has no such line.',
    next: 'See the lines with `scent orders get ID`.',
  },
  // not shown: the names of these three. A service that uses others falls back to its HTTP status.
  NOT_FOUND_RETURN_REQUEST: {
    http: 404,
    says: 'Your account has no such return request.',
    next: 'See `scent returns list`.',
  },
  NOT_FOUND_UNFULFILLABLE_NOTICE: {
    http: 404,
    says: 'Your account has no such notice.',
    next: 'See `scent notices inbox`.',
  },
  NOT_FOUND_DISCOUNT_CODE: {
    http: 404,
    says: 'Your account has no such discount code.',
    next: 'See `scent discounts list`.',
  },
  VALIDATION_ERRORS: {
    http: 400,
    says: 'The service refused some fields of the request.',
    next: 'Correct the fields named in the details.',
  },
  VALIDATION_MISSING_REPORT_RANGE: {
    http: 400,
    says: 'The report needs a start and an end.',
    next: 'Give --from and --to.',
  },
  VALIDATION_INVALID_COMMISSION_PERIOD_STATUS: {
    http: 400,
    says: 'That is not a status of a commission period.',
    next: 'Use Provisional, Issued or Settled.',
  },
  VALIDATION_INVALID_PERIOD: {
    http: 400,
    says: 'The period is empty: it ends where it starts.',
    next: 'Give a --to after --from.',
  },
  VALIDATION_REPORT_WINDOW_TOO_LARGE: {
    http: 400,
    says: 'The report window is over 400 days.',
    next: 'Ask for 400 days or less at a time.',
  },
  VALIDATION_UNKNOWN_LOOKUP_CODE: {
    http: 400,
    says: 'The catalog does not know this concentration or audience.',
    next: 'See the list and the value in the details.',
  },
  VALIDATION_WEBHOOK_URL_UNSAFE: {
    http: 400,
    says: 'The webhook URL is not absolute https, does not resolve, or resolves to a private address.',
    next: 'Give a public https URL; details.reason says what is wrong with this one.',
  },
  VALIDATION_PRICE_LOCK_INVALID: {
    http: 400,
    order: 'lock-gone',
    says: 'The price lock is unknown, not of this cart, or the cart has changed since.',
    next: relock,
  },
  VALIDATION_PRICE_LOCK_EXPIRED: {
    http: 400,
    order: 'lock-gone',
    says: 'The price lock has expired.',
    next: relock,
  },
  VALIDATION_INVALID_COUNTRY_CODE: {
    http: 400,
    says: 'The country code is not an ISO 3166-1 alpha-3 code.',
    next: 'Use three letters, such as SAU.',
  },
  VALIDATION_CUSTOMER_REF_TOO_LONG: {
    http: 400,
    says: 'The customer reference is over 128 characters.',
    next: 'Shorten it.',
  },
  VALIDATION_WEBHOOK_EVENT_TYPE_NOT_SUBSCRIBED: {
    http: 400,
    says: 'The subscription does not hold this event type.',
    next: 'Add it with `scent webhooks update ID`, or test one it holds.',
  },
  VALIDATION_INVALID_REASON_CODE: {
    http: 400,
    says: 'The service does not know this return reason.',
    next: 'Use Damaged, or a code the account manager has named.',
  },
  VALIDATION_INVALID_RETURN_STATUS: {
    http: 400,
    says: 'That is not a status of a return request.',
    next: 'Use Requested, Accepted, Processing, Refunded, Rejected or Withdrawn.',
  },
  BUSINESS_PRICE_NOT_AVAILABLE: {
    http: 422,
    remedy: 'decide',
    order: 'lock-gone',
    says: 'A price of the cart or of the lock is no longer available.',
    next: 'Preview again and decide on the new price: `scent checkout`.',
  },
  BUSINESS_VARIANT_UNAVAILABLE: {
    http: 422,
    remedy: 'decide',
    says: 'The variant is unavailable.',
    next: 'Ask to be told when it is back: `scent cart notify SKU`.',
  },
  BUSINESS_VARIANT_NOT_PRICED: {
    http: 422,
    remedy: 'support',
    says: 'The variant has no active price for this account.',
    next: 'Choose another variant, or ask the account manager.',
  },
  BUSINESS_PRODUCT_ACCESS_DISABLED: {
    http: 422,
    remedy: 'support',
    scope: 'job',
    says: 'The access of this account to start new Scent activity is paused.',
    next: 'Ask the account manager; repeating does not help.',
  },
  BUSINESS_CART_NOT_CHECKOUT_READY: {
    http: 422,
    says: "The cart can't be checked out as it is.",
    next: 'See each issue and its mend: `scent checkout preview`, or walk through them: `scent checkout`.',
  },
  BUSINESS_WEBHOOK_SUBSCRIPTION_LIMIT: {
    http: 422,
    remedy: 'decide',
    says: 'There are 5 active webhook subscriptions already.',
    next: 'Disable one: `scent webhooks disable ID`.',
  },
  BUSINESS_VARIANT_ALREADY_AVAILABLE: {
    http: 422,
    says: 'The variant is available already.',
    next: 'Add it: `scent cart add SKU`.',
  },
  BUSINESS_VARIANT_NOT_UNAVAILABLE: {
    http: 422,
    says: 'The variant is available already.',
    next: 'Add it: `scent cart add SKU`.',
  },
  BUSINESS_NOTIFY_DISABLED: {
    http: 422,
    remedy: 'support',
    says: 'Back-in-stock notices are disabled.',
    next: 'Ask the account manager.',
  },
  BUSINESS_RETURN_REQUEST_GROUP_NOT_DELIVERED: {
    http: 422,
    remedy: 'wait',
    says: 'The fulfillment group is not delivered yet.',
    next: 'Request the return after delivery: `scent orders track ID`.',
  },
  BUSINESS_RETURN_REQUEST_WINDOW_EXPIRED: {
    http: 422,
    remedy: 'support',
    says: 'The return window, counted from the delivery, has closed.',
    next: 'details.windowDays tells its length; ask the account manager about exceptions.',
  },
  BUSINESS_RETURN_REQUEST_EXCEEDS_REMAINING: {
    http: 422,
    says: 'A quantity is above what can still be returned of its line.',
    next: 'See `scent returns list --order ID` and the order; ask for less.',
  },
  BUSINESS_RETURN_REQUEST_DUPLICATE_LINE: {
    http: 422,
    remedy: 'settle',
    says: 'A line has an open return request already.',
    next: 'See `scent returns list --order ID`.',
  },
  BUSINESS_RETURN_REQUEST_NOT_PENDING: {
    http: 422,
    remedy: 'settle',
    says: "The return request is no longer Requested; it can't be withdrawn any more.",
    next: 'See `scent returns list`.',
  },
  BUSINESS_NOTICE_NOT_AWAITING_RESPONSE: {
    http: 422,
    remedy: 'settle',
    says: 'The notice is closed already: answered, or expired.',
    next: 'The order shows the outcome: `scent orders get ID`.',
  },
  CONFLICT_CART_HAS_PENDING_ORDER: {
    http: 409,
    remedy: 'wait',
    order: 'cart-busy',
    says: 'The cart has an order in flight.',
    next: 'Wait until it ends; `scent checkout preview` names its reference.',
  },
  CONFLICT_CART_CHECKOUT_RACE: {
    http: 409,
    remedy: 'wait',
    order: 'race',
    says: 'Another request worked on the same cart at the same moment.',
    next: 'Repeat; an order with the same reference.',
  },
  CONFLICT_PRICE_LOCK_CREATE_RACE: {
    http: 409,
    remedy: 'wait',
    scope: 'wait',
    says: 'Another request locked the same cart at the same moment.',
    next: 'Repeat.',
  },
  CONFLICT_ORDER_DUPLICATE_REFERENCE: {
    http: 409,
    remedy: 'settle',
    order: 'exists',
    says: 'An order with this reference exists already. Nothing was charged again.',
    next: readBack,
  },
  CONFLICT_ORDER_IN_PROGRESS: {
    http: 409,
    remedy: 'wait',
    order: 'in-progress',
    says: 'An order with this reference is still being made.',
    next: 'Repeat shortly with the same reference.',
  },
  CONFLICT_ORDER_REQUIRES_INTERVENTION: {
    http: 409,
    remedy: 'support',
    order: 'for-a-person',
    says: 'An earlier attempt with this reference stopped in a state that only a person can settle.',
    next: 'Contact the account manager with the reference. Do not order again under another one.',
  },
  CONFLICT_PRICE_LOCK_ALREADY_USED: {
    http: 409,
    remedy: 'settle',
    order: 'lock-used',
    says: 'The price lock has been used by an order.',
    next: readBack,
  },
  CONFLICT_NOTICE_ALREADY_RESOLVED: {
    http: 409,
    remedy: 'settle',
    says: 'The answer came at the moment of the deadline, and the deadline won.',
    next: 'The order shows the outcome: `scent orders get ID`.',
  },
  CONFLICT_COMMISSION_PERIOD_ALREADY_OBJECTED: {
    http: 409,
    remedy: 'settle',
    says: 'The commission period has an objection already.',
    next: 'See `scent commissions list`.',
  },
  CONFLICT_COMMISSION_PERIOD_NOT_PROVISIONAL: {
    http: 409,
    remedy: 'support',
    says: 'The commission period is no longer provisional.',
    next: 'Ask the account manager.',
  },
  CONFLICT_COMMISSION_PERIOD_PAST_ISSUE_DATE: {
    http: 409,
    remedy: 'support',
    says: 'The commission period is past its issue date.',
    next: 'Ask the account manager.',
  },

  // Of the sandbox's controls
  NOT_FOUND_PARTNER: {
    http: 404,
    says: 'The sandbox has no such partner.',
    next: 'Name it by id, client id or name: `scent sandbox partner` lists all.',
  },
  NOT_FOUND_WEBHOOK_DELIVERY: {
    http: 404,
    says: 'The sandbox has no such webhook delivery.',
    next: 'See `scent webhooks deliveries ID`.',
  },
  CONFLICT_RETURN_STEP_TAKEN: {
    http: 409,
    remedy: 'settle',
    says: 'The return request is past this step already.',
    next: 'Take one of the later steps: accept, dispatch, receive, refund; reject goes before accept or after receive.',
  },
  CONFLICT_RETURN_CLOSED: {
    http: 409,
    remedy: 'settle',
    says: 'The return request is closed already.',
    next: 'See `scent returns list`; a closed one takes no step any more.',
  },
  SANDBOX_INTERNAL_ERROR: {
    http: 500,
    remedy: 'support',
    says: 'The sandbox itself failed.',
    next: 'Report it, with the details and what `scent sandbox requests` shows.',
  },

  // Our own
  UNEXPECTED: {
    exit: 1,
    remedy: 'support',
    says: 'Something failed in scent itself.',
    next: 'Run it again with --debug, and report what it prints.',
  },
  INVALID_INPUT: {
    exit: 2,
    remedy: 'fix',
    scope: 'row',
    says: 'A value was refused before anything was sent.',
    next: 'Correct the value; see --help.',
  },
  MISSING_INPUT: {
    exit: 2,
    remedy: 'fix',
    says: 'A required value is missing, and there is no terminal to ask for it.',
    next: 'Give it as a flag; see --help.',
  },
  CORRUPT_FILE: {
    exit: 2,
    remedy: 'fix',
    says: "A local file of scent can't be read. It was left as it is.",
    next: 'Repair the file, or move it away.',
  },
  FOREIGN_FILE: {
    exit: 2,
    remedy: 'fix',
    says: 'A local file of scent belongs to another user, or is not a plain file. It was left as it is.',
    next: 'Check its owner, or point SCENT_CONFIG_DIR or SCENT_STATE_DIR elsewhere.',
  },
  FILE_FAILED: {
    exit: 1,
    remedy: 'fix',
    says: 'A local file could not be written. Nothing was sent after that.',
    next: 'Check the disk and the permissions of the folder.',
  },
  BUSY: {
    exit: 8,
    remedy: 'wait',
    says: 'Another process of scent works on the same thing on this machine. Nothing was sent.',
    next: 'Wait until it ends, then run this again.',
  },
  INSECURE_URL: {
    exit: 2,
    remedy: 'fix',
    ran: 'no',
    says: 'Tokens go over https only; plain http is allowed to this machine alone.',
    next: 'Use an https URL.',
  },
  NO_CREDENTIALS: {
    exit: 3,
    remedy: 'login',
    says: 'There is no credential to log in with.',
    next: '`scent auth login`, or set SCENT_CLIENT_ID and SCENT_CLIENT_SECRET; to try things out: `scent sandbox start`.',
  },
  KEYCHAIN_UNAVAILABLE: {
    exit: 3,
    remedy: 'fix',
    says: "The keychain of this machine can't be used.",
    next: 'Start or unlock a keyring, set SCENT_CLIENT_ID and SCENT_CLIENT_SECRET, or log in with --storage file.',
  },
  NO_CONNECTION: {
    exit: 10,
    remedy: 'wait',
    ran: 'no',
    cure: 'backoff',
    sends: 3,
    scope: 'wait',
    order: 'again',
    says: 'No connection to the service. Nothing was sent.',
    next: 'Check the network and the base URL: `scent auth status`.',
  },
  TLS_UNTRUSTED: {
    exit: 10,
    remedy: 'fix',
    ran: 'no',
    says: 'The certificate of the service is not trusted. Nothing was sent.',
    next: 'Check the host; a company CA is added with NODE_EXTRA_CA_CERTS.',
  },
  NO_ANSWER: {
    exit: 10,
    remedy: 'wait',
    cure: 'backoff',
    scope: 'wait',
    says: 'The request left, and no whole answer came back.',
    next: 'Repeat later.',
  },
  ODD_ANSWER: {
    exit: 10,
    remedy: 'support',
    ran: 'maybe',
    cure: 'backoff',
    scope: 'wait',
    says: 'The answer of the service is not in the contract.',
    next: 'Check the base URL; look at the exchange with --debug.',
  },
  OUTCOME_UNKNOWN: {
    exit: 12,
    remedy: 'settle',
    scope: 'wait',
    order: 'again',
    says: 'The request may have taken effect: its answer was lost.',
    next: 'Read the state back before you repeat it.',
  },
  LIMIT_EXCEEDED: {
    exit: 7,
    remedy: 'decide',
    scope: 'row',
    says: 'The amount is above the one approved. Nothing was ordered.',
    next: 'Approve the new amount with --max-total, or change the cart.',
  },
  JOB_UNFINISHED: {
    exit: 8,
    remedy: 'settle',
    says: 'An earlier job of the same file is not finished. Nothing was sent.',
    next: 'Go on with it: `scent jobs resume`.',
  },
  ROWS_REFUSED: {
    exit: 11,
    remedy: 'fix',
    says: 'Some rows were refused; the job charged nothing for them.',
    next: '`scent jobs show` tells why; --refused FILE writes them as a file to correct and import again.',
  },
  ROWS_UNKNOWN: {
    exit: 12,
    remedy: 'settle',
    says: 'Some rows could not be settled: they may have been charged.',
    next: '`scent jobs resume` asks the service again with the same references.',
  },
  SIGNATURE_MISMATCH: {
    exit: 6,
    remedy: 'fix',
    says: 'The delivery is not verified by its signature.',
    next: '`scent webhooks verify` looks for the reason.',
  },
  LINES_UNREADABLE: {
    exit: 11,
    remedy: 'fix',
    says: 'Some of it could not be read. The rest was taken in.',
    next: 'Mend those lines, and import the file again: what is here already changes nothing.',
  },
  NOTHING_MATCHED: {
    exit: 5,
    remedy: 'fix',
    says: 'Nothing fits.',
    next: 'Ask for more, or for something else.',
  },
  REPLAY_REFUSED: {
    exit: 11,
    remedy: 'decide',
    says: 'The receiver did not take all of the events.',
    next: 'Mend the receiver, and send these again: each of them is still kept.',
  },
  TEST_REFUSED: {
    exit: 6,
    remedy: 'fix',
    says: 'The test was sent, and refused by its receiver.',
    next: 'See what answers at the URL of the subscription: `scent webhooks list`.',
  },
  TEST_NOT_DELIVERED: {
    exit: 10,
    remedy: 'wait',
    says: 'The test was sent, and did not arrive.',
    next: '`scent webhooks timeline --watch` shows whether a later try does.',
  },
  TEST_UNSEEN: {
    exit: 12,
    remedy: 'settle',
    says: 'The test was sent, and nothing has a record of it yet.',
    next: '`scent webhooks timeline` shows it once there is one.',
  },
  NOTICE_DUE: {
    exit: 11,
    remedy: 'decide',
    says: 'A notice is due within the time asked about.',
    next: 'Answer it: `scent notices respond`.',
  },
  INBOX_BLIND: {
    exit: 12,
    remedy: 'settle',
    says: 'No notice that is known here is due, but there may be some that are not known.',
    next: 'Mend what keeps notices from being seen: `scent notices inbox` lists it.',
  },
  CART_NOT_EMPTY: {
    exit: 8,
    remedy: 'decide',
    scope: 'row',
    says: 'The cart does not hold just what this order needs. Nothing was ordered.',
    next: 'Look at it with `scent cart show`; `--cart replace` lets a job empty the carts it fills.',
  },
  CHARGED_ABOVE: {
    exit: 8,
    remedy: 'support',
    says: 'The order was made, and more was charged than was approved.',
    next: 'Do not order again. The city decides the shipping fee; ask the account manager about anything else.',
  },
  OPEN_ORDER: {
    exit: 12,
    remedy: 'settle',
    says: 'An earlier order of this cart has no answer yet. Nothing was sent.',
    next: 'Settle it first, with its own reference.',
  },
  EARLIER_ORDER: {
    exit: 8,
    remedy: 'settle',
    says: 'An earlier order of this cart had no answer yet; it was made. Nothing else was ordered.',
    next: 'For one more order fill the cart again.',
  },
  CHANGED_MEANWHILE: {
    exit: 8,
    remedy: 'decide',
    scope: 'row',
    says: 'It was changed elsewhere since it was read. Nothing was sent.',
    next: 'Look at it again, then repeat the change.',
  },
  ORDER_FAILED: {
    exit: 7,
    remedy: 'decide',
    scope: 'row',
    says: 'The service made the order, and marked it as failed.',
    next: 'See the reason in the details and the ledger: `scent wallet transactions`.',
  },
  ORDER_MISMATCH: {
    exit: 8,
    remedy: 'support',
    scope: 'row',
    says: 'The order that exists under this reference is not the one asked for.',
    next: 'Read it with `scent orders get ID`; choose another reference only for a new order.',
  },
  // The service's own records contradict each other: 8, as if an order is not the one that was asked for. Nothing
  // was rejected (6), and nothing that was sent is in doubt (12).
  LEDGER_GAP: {
    exit: 8,
    remedy: 'support',
    says: 'Neighbouring entries of the ledger do not fit each other.',
    next: 'Give the account manager the times of the gap; `scent wallet transactions` shows the entries around it.',
  },
  STATEMENT_MISMATCH: {
    exit: 8,
    remedy: 'support',
    says: 'The totals of the statement are not the sums of its lines.',
    next: 'Ask the account manager, with the number of the statement.',
  },
  SANDBOX_BROKEN: {
    exit: 1,
    remedy: 'support',
    says: 'The database of the sandbox breaks its own rules.',
    next: 'Report it, with the output of `scent sandbox status --all --json`; `scent sandbox reset` starts over.',
  },
  SANDBOX_NOT_RUNNING: {
    exit: 10,
    remedy: 'fix',
    says: 'No sandbox is running.',
    next: '`scent sandbox start --detach`.',
  },
  SANDBOX_RUNNING: {
    exit: 8,
    remedy: 'settle',
    says: 'A sandbox is running already.',
    next: 'Use it, or stop it first: `scent sandbox stop`.',
  },
  DECLINED: {
    exit: 130,
    remedy: 'decide',
    says: 'Not confirmed. Nothing was changed.',
    next: 'Run it again when you are ready.',
  },
  INTERRUPTED: {
    exit: 130,
    remedy: 'settle',
    says: 'Interrupted. Local records are whole.',
    next: 'Run it again when you are ready.',
  },
} as const satisfies Record<string, CatalogueRow>

export type Code = keyof typeof catalogue

const exitOfStatus: Record<number, number> = {
  400: 6,
  401: 3,
  403: 4,
  404: 5,
  405: 6,
  409: 8,
  415: 6,
  422: 7,
  429: 9,
}

const refused: Words & Decides = {
  remedy: 'fix',
  ran: 'refused',
  cure: 'none',
  scope: 'row',
  says: 'The service refused the request.',
  next: 'See the details; the code is newer than this program.',
}

const failed: Words & Decides = {
  remedy: 'wait',
  ran: 'maybe',
  cure: 'backoff',
  scope: 'wait',
  says: 'The service failed.',
  next: 'Repeat later.',
}

/** The meaning of a status by itself, for codes newer than this program and for fields that a row does not state. */
export function classOf(status: number | undefined): Words & Decides {
  // Not of the service: nothing is known of what ran, and no repeat mends it.
  if (status === undefined || status < 400)
    return {...catalogue.ODD_ANSWER, ran: 'maybe', cure: 'none', scope: 'job'}
  // not shown: 408 and 499, with which a proxy stops waiting. What it had passed on may have been done.
  if (status >= 500 || status === 408 || status === 499) return failed
  // No row of a job fares better than this one.
  if ([401, 405, 415].includes(status)) return {...refused, scope: 'job'}
  return status === 403 ? {...refused, ran: 'no', scope: 'job'} : refused
}

/** The entry of a code that failed with this HTTP status, or with its own; of an unknown code, that of the class. */
export function entryOf(code: string, http?: number): CatalogueEntry {
  if (!Object.hasOwn(catalogue, code)) return {...classOf(http), ...(http !== undefined && {http})}
  const row: CatalogueRow = catalogue[code as Code]
  // A code of our own means the same whatever status came before it.
  return {...classOf(row.http && (http ?? row.http)), ...row}
}

/** The exit code of a failure: docs/help/exit-codes.md lists them. An unknown 4xx counts as a rejected request. */
export function exitOf(code: string, http?: number): number {
  const entry = entryOf(code, http)
  if (entry.exit !== undefined) return entry.exit
  const status = http ?? entry.http
  if (status === undefined) return 1
  return exitOfStatus[status] ?? (status >= 500 ? 10 : 6)
}

/** Words inside an answer that say why something does not go on. Each ends a command with the code that it stands under. */
export const reasons = {
  // not shown: the failure codes of orders. This one is the sandbox's.
  INSUFFICIENT_WALLET_BALANCE: {
    under: 'ORDER_FAILED',
    says: 'Why an order failed: the wallet held less than it cost. Nothing was charged.',
    next: 'See what the wallet holds: `scent wallet balance`. Once it is filled up, order again.',
  },
  UNAVAILABLE: {
    under: 'BUSINESS_CART_NOT_CHECKOUT_READY',
    says: "An issue of a cart line: the variant can't be ordered at the moment.",
    next: 'Remove the line, or let `scent checkout` do it; `scent cart notify SKU` tells when the variant is back.',
  },
  INSUFFICIENT_STOCK: {
    under: 'BUSINESS_CART_NOT_CHECKOUT_READY',
    says: 'An issue of a cart line: fewer units are available than it asks for.',
    next: 'Take those that are available: `scent checkout preview` names how many, `scent checkout` offers them.',
  },
  PRICE_BELOW_FLOOR: {
    under: 'BUSINESS_CART_NOT_CHECKOUT_READY',
    says: 'An issue of a cart line: its price is below the lowest one at which the service sells it.',
    next: 'Remove the line, and ask the account manager about the price.',
  },
  NOT_PRICED: {
    under: 'BUSINESS_CART_NOT_CHECKOUT_READY',
    says: 'An issue of a cart line: the variant has no price for this account.',
    next: 'Remove the line, and ask the account manager for a price.',
  },
  CART_HAS_PENDING_ORDER: {
    under: 'CONFLICT_CART_HAS_PENDING_ORDER',
    says: 'An issue of a cart: an order of it is in flight.',
    next: 'Wait until it ends; `scent checkout preview` names its reference.',
  },
  PRODUCT_ACCESS_DISABLED: {
    under: 'BUSINESS_PRODUCT_ACCESS_DISABLED',
    says: 'An issue of a cart: the access of this account to start new activity is paused.',
    next: 'Ask the account manager; repeating does not help.',
  },
} as const satisfies Record<string, Words & {under: Code}>

/** The code of a refusal that has no envelope, such as a proxy's page. */
export const codeOfStatus: Readonly<Record<number, Code>> = {
  429: 'RATE_LIMITED',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
}

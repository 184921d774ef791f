import type {Delivery} from '../contract/webhooks.ts'

/** The deliveries that fit, at most `limit` of them; the API has no filter for it. */
export async function* chosenDeliveries(
  all: AsyncIterable<Delivery>,
  fits: (delivery: Delivery) => boolean,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Delivery> {
  let left = limit
  for await (const delivery of all) {
    if (!fits(delivery)) continue
    yield delivery
    left -= 1
    if (left <= 0) return
  }
}

import type {Client} from '../client/client.ts'

/**
 * A client for the work of a job: when the user stops, its calls end their waits for the quota and before a repeat, as a
 * resume goes on. Not while `isOpen`: what may have been done is brought to its end.
 */
export function leavable(client: Client, stop: AbortSignal, isOpen: () => boolean = () => false): Client {
  return {
    ...client,
    call: (operation, input, options = {}) =>
      client.call(operation, input, isOpen() ? options : {stop, ...options}),
  }
}

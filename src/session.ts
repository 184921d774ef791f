import type {ApiFlags} from './command.ts'
import {Failure} from './contract/failure.ts'
import type {Input, Operation, Payload} from './contract/operation.ts'

export interface Client {
  call<O extends Operation>(operation: O, input: Input<O>): Promise<Payload<O>>
}

/** Everything one invocation works with. The only place where the rooms are wired together. */
export interface Session {
  client: Client
  close(): Promise<void>
}

export async function openSession(_flags: ApiFlags): Promise<Session> {
  throw new Failure('NO_CREDENTIALS')
}

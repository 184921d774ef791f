import {join} from 'node:path'
import * as z from 'zod/mini'
import {Failure} from '../contract/failure.ts'
import {namesIn} from '../store/files.ts'
import {headerOf} from '../store/journal-file.ts'
import {type Folders, type Identity, recordsRoot} from '../store/paths.ts'
import {readConfig} from '../store/profiles.ts'

const identity = z.object({origin: z.string(), clientId: z.string(), onBehalfOf: z.nullable(z.string())})

/** Several jobs have ids that begin so. */
export function severalJobs(id: string, ids: string[]): Failure {
  const newest = ids.sort().reverse().slice(0, 5)
  return new Failure('INVALID_INPUT', {
    message: `${ids.length} jobs have an id that begins with ${JSON.stringify(id)}.`,
    hint: `Give more of it: ${newest.join(', ')}${ids.length > newest.length ? ', …' : ''}.`,
  })
}

/** Says of a job id that the identity in use does not have whether another identity of this user has it. */
export function noSuchJob(folders: Folders, id: string | undefined): Failure {
  if (id === undefined)
    return new Failure('INVALID_INPUT', {
      message: 'No job has been run from here under this profile.',
      hint: '`scent orders import FILE` and `scent cart import FILE` run jobs.',
    })
  const owner = isJobId(id) ? ownerOf(folders, id) : undefined
  if (owner === undefined)
    return new Failure('INVALID_INPUT', {
      message: `There is no job ${JSON.stringify(id)} under this profile.`,
      hint: 'See the jobs of this profile: `scent jobs list`.',
    })
  const {origin, clientId, onBehalfOf} = owner
  const profile = profileOf(folders, owner)
  const whose = profile === undefined ? `client id ${clientId} of ${origin}` : `profile "${profile}"`
  const as = onBehalfOf === null ? ['', ''] : [`, acting for ${onBehalfOf}`, ` --as ${onBehalfOf}`]
  return new Failure('INVALID_INPUT', {
    message: `Job ${id} belongs to ${whose}${as[0]}.`,
    hint:
      profile === undefined
        ? 'Give that credential and host; `scent auth list` shows the profiles.'
        : `\`scent jobs show ${id} --profile ${profile}${as[1]}\` shows it.`,
  })
}

/** Anything else could escape the folder ("../"). */
const isJobId = (text: string) => /^[\w-]+$/.test(text)

function ownerOf(folders: Folders, id: string): Identity | undefined {
  const root = recordsRoot(folders)
  for (const name of namesIn(root)) {
    const owner = identity.safeParse(headerOf(join(root, name, 'jobs', `${id}.ndjson`)))
    if (owner.success) return owner.data
  }
  return undefined
}

function profileOf(folders: Folders, {origin, clientId}: Identity): string | undefined {
  const all = Object.entries(readConfig(folders).profiles)
  return all.find(
    ([, own]) =>
      own.clientId === clientId && URL.canParse(own.baseUrl) && new URL(own.baseUrl).origin === origin,
  )?.[0]
}

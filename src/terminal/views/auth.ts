import {localColumns} from '../columns.ts'
import type {Table} from '../table.ts'

export interface ProfileRow {
  profile: string
  current: boolean
  baseUrl: string
  clientId: string
  storage: string
}

/** The profiles of this machine. */
export function profileTable(rows: ProfileRow[]): Table<ProfileRow> {
  const lines = 'current! In use; profile! Profile; baseUrl Host; clientId Client id; storage Secret in'
  const columns = localColumns<ProfileRow>(lines, {current: ({current}) => (current ? '*' : ' ')})
  return {rows, columns, empty: 'No profile yet: `scent auth login`.'}
}

export interface LoggedOut {
  profile: string
  secretRemoved: boolean
}

/** Profiles that were removed; secrets without a profile are named by their account. */
export const loggedOutTable = (rows: LoggedOut[]): Table<LoggedOut> => ({
  rows,
  columns: localColumns('profile; secretRemoved'),
  empty: 'Nothing was there.',
})

export interface SettingRow {
  setting: string
  value: string | undefined
  source: string | undefined
  beat: {value: string; source: string}[]
}

/** The settings in use, where each came from, and what it won over. */
export function settingTable(rows: SettingRow[]): Table<SettingRow> {
  const columns = localColumns<SettingRow>('setting!; value~; source From; beat Wins over', {
    beat: ({beat}) => beat.map(({value, source}) => `${source} (${value})`).join(', '),
  })
  return {rows, columns}
}

import type {Column, Table} from '../table.ts'

export interface ProfileRow {
  profile: string
  current: boolean
  baseUrl: string
  clientId: string
  storage: string
}

const profileColumns: Column<ProfileRow>[] = [
  {key: 'current', header: 'In use', get: ({current}) => (current ? '*' : ' ')},
  {key: 'profile', header: 'Profile', get: ({profile}) => profile},
  {key: 'base-url', header: 'Host', get: ({baseUrl}) => baseUrl},
  {key: 'client-id', header: 'Client id', get: ({clientId}) => clientId},
  {key: 'storage', header: 'Secret in', get: ({storage}) => storage},
]

/** The profiles of this machine. */
export function profileTable(rows: ProfileRow[]): Table<ProfileRow> {
  return {rows, columns: profileColumns, empty: 'No profile yet: `scent auth login`.'}
}

export const loggedOutColumns: Column<{profile: string; secretRemoved: boolean}>[] = [
  {key: 'profile', header: 'Profile', get: ({profile}) => profile},
  {key: 'secret-removed', header: 'Secret removed', get: ({secretRemoved}) => secretRemoved},
]

export interface SettingRow {
  setting: string
  value: string | undefined
  source: string | undefined
  beat: {value: string; source: string}[]
}

/** What is in use, where it came from, and what it beat. */
export function settingTable(rows: SettingRow[]): Table<SettingRow> {
  return {
    rows,
    columns: [
      {key: 'setting', header: 'Setting', get: ({setting}) => setting},
      {key: 'value', header: 'Value', get: ({value}) => value},
      {key: 'source', header: 'From', get: ({source}) => source},
      {
        key: 'beat',
        header: 'Wins over',
        get: ({beat}) => beat.map(({value, source}) => `${source} (${value})`).join(', '),
      },
    ],
  }
}

import {badge} from '../cells.ts'
import {localColumns} from '../columns.ts'
import {shellWord} from '../next.ts'
import type {Table} from '../table.ts'

export interface Check {
  check: string
  /** A `warning` is nothing that fails, and something to look at. */
  state: 'ok' | 'warning' | 'failed' | 'skipped'
  detail: string
  /** What to do about it. */
  next: string | null
}

/** The checks of an installation, one a row. */
export function checkTable(rows: Check[]): Table<Check> {
  const columns = localColumns<Check>('check!; state!; detail~ Found; next~', {
    state: ({state}) => badge(state, {ok: 'good', warning: 'warn', failed: 'bad'}),
  })
  return {rows, columns}
}

/** As store/remains.ts finds it. */
interface Remains {
  paths: string[]
  lines: string[]
  accounts: string[] | undefined
  sandbox: number | undefined
}

export function remainsText({paths, lines, accounts, sandbox}: Remains): string {
  const all = [
    ...(sandbox === undefined ? [] : [`a sandbox that is running (process ${sandbox})`]),
    ...(accounts?.map((account) => `"${account}" of "scent" in the keychain`) ?? [
      'what the keychain holds of "scent"',
    ]),
    ...paths,
    ...lines.map((path) => `a line in ${path}`),
  ]
  return `If scent is removed, these stay: ${all.join('; ')}.`
}

/** The commands that remove all of it, in the order in which they can. */
export function removalText(
  {paths, lines, accounts, sandbox}: Remains,
  platform: NodeJS.Platform = process.platform,
): string {
  const [remove, edit] =
    platform === 'win32'
      ? ['Remove-Item -Recurse', '']
      : ['rm -r', platform === 'darwin' ? "sed -i ''" : 'sed -i']
  const commands = [
    ...(sandbox === undefined ? [] : ['scent sandbox stop']),
    ...(accounts?.length === 0 ? [] : ['scent auth logout --all --yes']),
    [remove, ...paths.map(shellWord)].join(' '),
    ...lines.map((path) => `${edit} '/scent autocomplete/d' ${shellWord(path)}`),
    'npm uninstall --global scent-cli',
  ]
  return `To remove all of it, in this order: ${commands.map((command) => `\`${command}\``).join(', ')}.`
}

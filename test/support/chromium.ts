import {execFileSync} from 'node:child_process'

export function pathOfChromium(): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'command -v chromium'], {encoding: 'utf8'}).trim()
  } catch {
    return undefined
  }
}

/** Why no browser can be had here, in one line; undefined if it can. */
export const noChromium = () => (pathOfChromium() ? undefined : 'no browser: apt-get install chromium')

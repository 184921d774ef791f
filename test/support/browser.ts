// A real browser of the system, without a window, and what it did.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {type Browser, type BrowserContextOptions, chromium, type Page} from 'playwright-core'
import {pathOfChromium} from './chromium.ts'

const require = createRequire(import.meta.url)

export function openBrowser(): Promise<Browser> {
  // As root, as in a container, Chromium starts without its sandbox only.
  return chromium.launch({executablePath: pathOfChromium() ?? 'chromium', args: ['--no-sandbox']})
}

/** A tab, and what came of what it showed. */
export interface Tab {
  page: Page
  /** Each must stay empty: scripts that failed, dialogs, and what the page's own policy forbade. */
  troubles: string[]
  /** Addresses that were asked for. */
  requests: string[]
  close(): Promise<void>
}

/** Opens a tab of its own session; with `beside`, a further tab of the same window. */
export async function openTab(
  browser: Browser,
  options: BrowserContextOptions = {},
  beside?: Tab,
): Promise<Tab> {
  const context = beside?.page.context() ?? (await browser.newContext(options))
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const [troubles, requests]: [string[], string[]] = [[], []]
  page.on('pageerror', ({message}) => troubles.push(`error: ${message}`))
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML/i.test(message.text()))
      troubles.push(`policy: ${message.text()}`)
  })
  page.on('request', (request) => requests.push(request.url()))
  return {page, troubles, requests, close: () => (beside ? page.close() : context.close())}
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** What a check of accessibility finds on the page as it is now. */
export async function violations(page: Page): Promise<string[]> {
  // The driver brings it: the page's own policy lets no foreign script in.
  await page.evaluate(axe)
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: what was just brought in
    const {violations: found} = await (globalThis as any).axe.run()
    return found.flatMap(({id, nodes}: {id: string; nodes: {target: string[]; failureSummary: string}[]}) =>
      nodes.map(({target, failureSummary}) => `${id}: ${target.join(' ')} ${failureSummary}`),
    )
  })
}

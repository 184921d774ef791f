// The pictures of README and of docs/ show what the program prints now. `npm run pictures` draws them again.
import {readFileSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {openBrowser} from './support/browser.ts'
import {noChromium} from './support/chromium.ts'
import {pageScene, views} from './support/page-scene.ts'
import {pictureOf} from './support/picture.ts'
import {inboxScene, walkScene} from './support/picture-scenes.ts'
import {saidBy, sizeOf, smaller} from './support/png.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

test.each([
  {name: 'walk', scene: walkScene},
  {name: 'inbox', scene: inboxScene},
])('the picture of the $name is what the terminal shows', async ({name, scene}) => {
  const shown = await scene()
  const path = `docs/pictures/${name}.svg`
  await expect(pictureOf(shown)).toMatchFileSnapshot(join(root, path))
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`](${path})`)
})

// Fonts are those of the machine: what is compared is what the page holds, which each picture says of itself.
test.skipIf(noChromium())(
  'the pictures of the page hold what it shows: light, dark and on a phone',
  async () => {
    const browser = await openBrowser()
    const scene = await pageScene(browser)
    for (const view of views) {
      const {page, close} = await scene.show(view)
      const file = join(root, `docs/pictures/${view.name}.png`)
      const says = await page.locator('body').ariaSnapshot()
      if (process.env.SCENT_TEST_PICTURES) writeFileSync(file, smaller(await page.screenshot(), says))
      await close()
      const picture = readFileSync(file)
      expect(saidBy(picture), `${view.name}: npm run pictures`).toBe(says)
      expect(sizeOf(picture)).toEqual({width: 2 * view.width, height: 2 * view.height})
      expect(picture.length).toBeLessThan(120_000)
      expect(readFileSync(join(root, 'docs/support.md'), 'utf8')).toContain(`pictures/${view.name}.png`)
    }
    await scene.close()
    await browser.close()
  },
)

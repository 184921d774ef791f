// The pictures of README show what the program prints now. `npm run pictures` draws them again.
import {readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {pictureOf} from './support/picture.ts'
import {inboxScene, walkScene} from './support/picture-scenes.ts'

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

// The packages that the built program holds, and their licences in one text.
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

/** Of a file below node_modules: the folder of its package, which may lie in that of another one. */
const packageFolder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//

/** The names of the files that hold a licence, or what it wants to be told: LICENSE, license-mit.txt, COPYING, NOTICE.md. */
const licenseFile = /^(licen[cs]e|copying|notice)([.-].*)?$/i

/** The package in a folder, with the texts of its licence. Fails if it has none: it could not be handed on. */
export function packageIn(folder) {
  const {name, version, license, repository} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => licenseFile.test(file))
  if (files.every((file) => /^notice/i.test(file)))
    throw new Error(`${name} ${version} is part of the program, and has no text of a licence.`)
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return {name, version, license, source: repository?.url ?? repository, texts}
}

/** The packages of which esbuild took files, by name. */
export function bundledPackages(root, metafiles) {
  const inputs = metafiles.flatMap(({outputs}) =>
    Object.values(outputs).flatMap(({inputs}) => Object.keys(inputs)),
  )
  const folders = new Set(inputs.flatMap((path) => packageFolder.exec(path)?.[1] ?? []))
  return [...folders].map((folder) => packageIn(join(root, folder))).sort(byName)
}

const byName = (a, b) => `${a.name} ${a.version}`.localeCompare(`${b.name} ${b.version}`, 'en')

/** The licences of packages as one text. Packages with the very same licence share it. */
export function licensesText(packages) {
  const shared = new Map()
  for (const one of packages) {
    const text = one.texts.join('\n\n')
    shared.set(text, [...(shared.get(text) ?? []), one])
  }
  const parts = [...shared].map(([text, those]) => {
    const names = those.map(({name, version, license, source}) =>
      [`${name} ${version}`, license, source].filter((word) => typeof word === 'string').join(' · '),
    )
    return `${names.join('\n')}\n\n${text}\n`
  })
  const line = `${'-'.repeat(80)}\n`
  return ['scent is made of its own files and of these packages, under the licences below.\n', ...parts].join(
    `\n${line}\n`,
  )
}

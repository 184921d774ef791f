// Which packages are handed on with the program, as CycloneDX: what npm knows of them, without the tools of the project.
import {execFileSync} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {basename, join} from 'node:path'

/** By this property CycloneDX tells what lies in a package from what is installed beside it. */
const bundledProperty = {name: 'cdx:npm:package:bundled', value: 'true'}
const isForDevelopment = ({name}) => name === 'cdx:npm:package:development'

/**
 * The document of a package that holds `bundled`. What it depends on is named too, since it is installed with it; their
 * hashes are those of the lockfile.
 */
export function sbom(root, bundled) {
  const {name, dependencies} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const argv = [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--package-lock-only',
    '--silent',
  ]
  const all = JSON.parse(execFileSync('npm', argv, {cwd: root, encoding: 'utf8', maxBuffer: 1e8}))
  const below = new Map(all.dependencies.map(({ref, dependsOn}) => [ref, dependsOn]))
  const self = all.metadata.component['bom-ref']
  const direct = below.get(self).filter((ref) => ref.slice(0, ref.lastIndexOf('@')) in dependencies)
  const inside = new Set(bundled.map(({name, version}) => `${name}@${version}`))
  const shipped = new Set([...inside, ...reached(direct, below)])
  const components = all.components.filter((component) => shipped.has(component['bom-ref']))
  const unknown = [...shipped].filter((ref) => components.every((component) => component['bom-ref'] !== ref))
  if (unknown.length > 0) throw new Error(`npm knows nothing of ${unknown.join(', ')}.`)
  return {
    ...all,
    metadata: {...all.metadata, component: {...all.metadata.component, name}},
    components: components.map((component) => shippedAs(component, inside.has(component['bom-ref']))),
    dependencies: all.dependencies
      .filter(({ref}) => ref === self || shipped.has(ref))
      .map(({ref, dependsOn}) => ({ref, dependsOn: dependsOn.filter((one) => shipped.has(one))})),
  }
}

/** To npm what is bundled is a tool, which is not installed with the program. */
function shippedAs(component, isBundled) {
  if (!isBundled) return component
  const others = component.properties.filter((property) => !isForDevelopment(property))
  return {...component, scope: 'required', properties: [...others, bundledProperty]}
}

function reached(refs, below) {
  const found = new Set()
  const open = [...refs]
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    if (found.has(ref)) continue
    found.add(ref)
    open.push(...(below.get(ref) ?? []))
  }
  return found
}

/**
 * The document of the executable: what is installed beside the package lies in it, but for the bindings of other platforms,
 * and so does the package of Node in a folder that npm filled.
 */
export function executableSbom(root, bundled, binding, nodeFolder) {
  const {components, dependencies, ...about} = sbom(root, bundled)
  const isOther = (ref) => ref.startsWith('@napi-rs/keyring-') && !ref.startsWith(`${binding}@`)
  const here = components.filter((component) => !isOther(component['bom-ref']))
  const node = nodeComponent(nodeFolder)
  const self = about.metadata.component['bom-ref']
  return {
    ...about,
    components: [...here.map((component) => shippedAs(component, true)), node],
    dependencies: dependencies
      .filter(({ref}) => !isOther(ref))
      .map(({ref, dependsOn}) => ({
        ref,
        dependsOn: [...dependsOn.filter((one) => !isOther(one)), ...(ref === self ? [node['bom-ref']] : [])],
      })),
  }
}

function nodeComponent(folder) {
  const {name, version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const {packages} = JSON.parse(readFileSync(join(folder, '../.package-lock.json'), 'utf8'))
  const integrity = packages[`node_modules/${basename(folder)}`].integrity.replace(/^sha512-/, '')
  return {
    'bom-ref': `${name}@${version}`,
    ...{type: 'platform', name, version, scope: 'required', purl: `pkg:npm/${name}@${version}`},
    properties: [bundledProperty],
    hashes: [{alg: 'SHA-512', content: Buffer.from(integrity, 'base64').toString('hex')}],
    licenses: [{license: {id: license}}],
  }
}

import {readdirSync, readFileSync} from 'node:fs'
import {join, posix} from 'node:path'
import {parseAst} from 'vitest/node'

/** A file of src, such as src/client/retry.ts, and what it says to other modules. */
export interface Source {
  file: string
  text: string
  arrows: Arrow[]
  /** Names that other files can import. */
  exports: string[]
}

/** One way from a file to a module: `type` leaves nothing behind at run time, `late` is loaded when the line runs. */
export interface Arrow {
  /** A file of src, or a package. */
  to: string
  kind: 'value' | 'type' | 'late'
  /** The exports that are used; `*` if all may be. */
  names: string[]
  /** Handed on as an export of its own. */
  passedOn: boolean
}

interface Node {
  type: string
  [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/** Reads a file by its syntax tree, which comments and texts can't deceive. */
export function sourceOf(file: string, text: string): Source {
  const program = parseAst(text, {lang: file.endsWith('x') ? 'tsx' : 'ts'}) as unknown as {body: Node[]}
  const found = program.body.flatMap((node) => arrowOfStatement(file, node))
  for (const node of program.body)
    collect(node, [], (inner, above) => found.push(...arrowWithin(file, inner, above)))
  return {file, text, arrows: found, exports: program.body.flatMap(exportsOf)}
}

export function readSources(root: string): Source[] {
  return readdirSync(join(root, 'src'), {recursive: true, encoding: 'utf8'})
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .map((file) => sourceOf(file, readFileSync(join(root, file), 'utf8')))
}

function target(from: string, source: unknown): string {
  const to = String((source as {value?: unknown}).value)
  return to.startsWith('.') ? posix.join(posix.dirname(from), to) : to
}

const nameOf = (node: unknown) =>
  String((node as {name?: unknown; value?: unknown}).name ?? (node as {value: unknown}).value)

/** `import … from` and `export … from`. */
function arrowOfStatement(file: string, node: Node): Arrow[] {
  const {type, source} = node
  if (!/^(Import|ExportNamed|ExportAll)Declaration$/.test(type) || !source) return []
  const specifiers = (node.specifiers ?? []) as Node[]
  const passedOn = type !== 'ImportDeclaration'
  const whole = node.importKind === 'type' || node.exportKind === 'type'
  const onlyTypes =
    specifiers.length > 0 && specifiers.every((one) => (one.importKind ?? one.exportKind) === 'type')
  const names = specifiers.map((one) => {
    if (one.type === 'ImportNamespaceSpecifier') return '*'
    return one.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(passedOn ? one.local : one.imported)
  })
  const kind = whole || onlyTypes ? 'type' : 'value'
  return [{to: target(file, source), kind, names: type === 'ExportAllDeclaration' ? ['*'] : names, passedOn}]
}

/** `import(…)` as a value and as a type, and `require(…)`. */
function arrowWithin(file: string, node: Node, above: Node[]): Arrow[] {
  if (node.type === 'TSImportType') {
    const {qualifier} = node
    const names = isNode(qualifier) ? [nameOf(qualifier.left ?? qualifier)] : ['*']
    return [{to: target(file, node.source), kind: 'type', names, passedOn: false}]
  }
  if (node.type === 'ImportExpression')
    return [{to: target(file, node.source), kind: 'late', names: namesTaken(above), passedOn: false}]
  const [first] = (node.arguments ?? []) as Node[]
  if (node.type !== 'CallExpression' || nameOf(node.callee) !== 'require' || first?.type !== 'Literal')
    return []
  return [{to: target(file, first), kind: 'late', names: ['*'], passedOn: false}]
}

/** What is taken of a module that is awaited: `(await import(…)).name`, or `const {name} = await import(…)`. */
function namesTaken(above: Node[]): string[] {
  const [awaits, user] = above
  if (awaits?.type !== 'AwaitExpression' || user === undefined) return ['*']
  if (user.type === 'MemberExpression' && !user.computed) return [nameOf(user.property)]
  const pattern = user.id as Node | undefined
  if (user.type !== 'VariableDeclarator' || pattern?.type !== 'ObjectPattern') return ['*']
  return (pattern.properties as Node[]).map((property) => (property.key ? nameOf(property.key) : '*'))
}

function exportsOf(node: Node): string[] {
  if (node.type === 'ExportDefaultDeclaration') return ['default']
  if (node.type !== 'ExportNamedDeclaration') return []
  const declaration = node.declaration as Node | null
  if (!declaration) return ((node.specifiers ?? []) as Node[]).map(({exported}) => nameOf(exported))
  if (declaration.type !== 'VariableDeclaration') return [nameOf(declaration.id)]
  return (declaration.declarations as Node[]).flatMap(({id}) => boundBy(id as Node))
}

const boundBy = (id: Node): string[] =>
  id.type === 'ObjectPattern' ? (id.properties as Node[]).map(({value}) => nameOf(value)) : [nameOf(id)]

/** Visits every node with those above it, the nearest first. */
function collect(node: Node, above: Node[], visit: (node: Node, above: Node[]) => void): void {
  visit(node, above)
  for (const inner of Object.values(node).flat()) if (isNode(inner)) collect(inner, [node, ...above], visit)
}

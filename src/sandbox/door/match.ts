import type {Method} from '../../contract/wire.ts'

/** A path template cut into segments; `{name}` stands for one. */
interface Pattern {
  method: Method
  path: string
}

interface Entry<R> {
  route: R
  method: Method
  segments: readonly string[]
}

interface Match<R> {
  route: R
  params: Record<string, string>
}

export type Matcher<R> = (method: string, path: string) => Match<R> | {allow: string[]} | undefined

/**
 * Finds the route of a method and an encoded path. Literals are case-sensitive (G04) and win over parameters
 * (X02), each segment is decoded once, so an encoded slash stays inside its segment (G05). Returns the other
 * methods if only they match, to HEAD and OPTIONS too (E07), and undefined if nothing matches or the path does
 * not decode.
 */
export function createMatcher<R extends Pattern>(routes: readonly R[]): Matcher<R> {
  const bySize = new Map<number, Entry<R>[]>()
  for (const route of routes) {
    const segments = route.path.split('/').slice(1)
    const entries = bySize.get(segments.length) ?? []
    entries.push({route, method: route.method, segments})
    // Literals first, position by position from the left. Not localeCompare, which loads a collator.
    entries.sort((a, b) => inOrder(shapeOf(a.segments), shapeOf(b.segments)))
    bySize.set(segments.length, entries)
  }
  return (method, path) => {
    const segments = decode(path)
    if (segments === undefined) return undefined
    const entries = bySize.get(segments.length)
    if (entries === undefined) return undefined
    const found = entries.find((entry) => entry.method === method && fits(entry.segments, segments))
    if (found !== undefined) return {route: found.route, params: paramsOf(found.segments, segments)}
    const others = entries.filter((entry) => fits(entry.segments, segments)).map((entry) => entry.method)
    return others.length === 0 ? undefined : {allow: [...new Set(others)].sort()}
  }
}

const inOrder = (a: string, b: string) => Number(a > b) - Number(a < b)
const isParam = (segment: string) => segment.startsWith('{')
const shapeOf = (segments: readonly string[]) =>
  segments.map((segment) => (isParam(segment) ? 'p' : 'l')).join('')

function decode(path: string): string[] | undefined {
  const segments = path.split('/').slice(1)
  if (!path.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return undefined
  }
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((part, i) => (isParam(part) ? segments[i] !== '' : part === segments[i]))
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  pattern.forEach((part, i) => {
    if (isParam(part)) params[part.slice(1, -1)] = segments[i] ?? ''
  })
  return params
}

import asciichart from 'asciichart'
import {safe} from './text.ts'

interface Drawing {
  /** Cells that it may take. */
  width: number
  height?: number
  /** Labels below its two ends. */
  ends: readonly [string, string]
  /** Which of several points is drawn if there are more points than cells. */
  keep?: 'last' | 'highest'
}

/** A line chart with its axes; empty for less than two points. Doubles are exact enough for a picture. */
export function chart(points: number[], {width, height = 8, ends, keep = 'last'}: Drawing): string {
  if (points.length < 2 || points.some((point) => !Number.isFinite(point))) return ''
  const labels = Math.max(...points.map((point) => point.toFixed(2).length))
  const room = Math.max(10, width - labels - 4)
  const kept = thinned(points, room, keep)
  const stretch = Math.max(1, Math.floor(Math.min(room, 60) / kept.length))
  const drawn = kept.flatMap((point) => Array<number>(stretch).fill(point))
  const isFlat = drawn.every((point) => point === drawn[0])
  // Of a flat line asciichart labels a rounded value.
  const label = (value: number) => (isFlat ? (drawn[0] ?? 0) : value).toFixed(2).padStart(labels)
  return `${asciichart.plot(drawn, {height, format: label})}\n${axis(labels + 2, drawn.length - 1, ends, width)}\n`
}

/** At most `room` points: one for each stretch, counted from the end, so that the end is exact. */
function thinned(points: number[], room: number, keep: 'last' | 'highest'): number[] {
  const step = Math.ceil(points.length / room)
  const stretches: number[][] = []
  for (let end = points.length; end > 0; end -= step)
    stretches.unshift(points.slice(Math.max(0, end - step), end))
  return stretches.map((stretch) => (keep === 'highest' ? Math.max(...stretch) : (stretch.at(-1) ?? 0)))
}

/** The ends below the line, the last one below its right end if there is room; further left in a narrow terminal. */
function axis(at: number, length: number, ends: readonly [string, string], width: number): string {
  const [first, last] = ends.map((end) => safe(end)) as [string, string]
  const gap = Math.max(2, length - first.length - last.length)
  const indent = Math.max(0, Math.min(at, width - first.length - gap - last.length))
  return ' '.repeat(indent) + first + ' '.repeat(gap) + last
}

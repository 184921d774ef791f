import asciichart from 'asciichart'

/** A line chart of at most `width` cells; empty for less than two points. Doubles are exact enough for a picture. */
export function chart(points: number[], {width, height = 8}: {width: number; height?: number}): string {
  if (points.length < 2 || points.some((point) => !Number.isFinite(point))) return ''
  const labels = Math.max(...points.map((point) => point.toFixed(2).length))
  const room = Math.max(10, width - labels - 4)
  // More points than cells: the last of each stretch, so that the end is exact.
  const step = Math.max(1, Math.ceil(points.length / room))
  const last = points.length - 1
  const kept = points.filter((_, index) => (last - index) % step === 0)
  const stretch = Math.max(1, Math.floor(Math.min(room, 60) / kept.length))
  const drawn = kept.flatMap((point) => Array<number>(stretch).fill(point))
  return `${asciichart.plot(drawn, {height, format: (value) => value.toFixed(2).padStart(labels)})}\n`
}

// A picture of a browser as a small file: for text on a page the 256 colours that are used most are enough.
import {crc32, deflateSync, inflateSync} from 'node:zlib'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
/** Colours that are less apart than this are one. */
const STEP = 4

/** The parts of a file, by their names; those with the same name one after the other. */
function partsOf(file: Buffer): Map<string, Buffer> {
  const parts = new Map<string, Buffer>()
  for (let at = SIGNATURE.length; at < file.length; ) {
    const length = file.readUInt32BE(at)
    const name = file.toString('latin1', at + 4, at + 8)
    parts.set(
      name,
      Buffer.concat([parts.get(name) ?? Buffer.alloc(0), file.subarray(at + 8, at + 8 + length)]),
    )
    at += length + 12
  }
  return parts
}

/** The width and the height of a picture. */
export function sizeOf(file: Buffer): {width: number; height: number} {
  const head = partsOf(file).get('IHDR') ?? Buffer.alloc(8)
  return {width: head.readUInt32BE(0), height: head.readUInt32BE(4)}
}

/** Undoes the filter of each line (PNG, section 9). */
function pixelsOf(raw: Buffer, width: number, height: number, channels: number): Buffer {
  const line = width * channels
  const out = Buffer.alloc(line * height)
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (line + 1)] ?? 0
    for (let x = 0; x < line; x += 1) {
      const at = y * line + x
      const left = x < channels ? 0 : (out[at - channels] ?? 0)
      const up = y === 0 ? 0 : (out[at - line] ?? 0)
      const corner = x < channels || y === 0 ? 0 : (out[at - line - channels] ?? 0)
      const guess = [0, left, up, (left + up) >> 1, nearest(left, up, corner)][filter] ?? 0
      out[at] = (raw[y * (line + 1) + 1 + x] ?? 0) + guess
    }
  }
  return out
}

function nearest(left: number, up: number, corner: number): number {
  const [a, b, c] = [left, up, corner].map((one) => Math.abs(left + up - corner - one)) as [
    number,
    number,
    number,
  ]
  return a <= b && a <= c ? left : b <= c ? up : corner
}

/** What a picture shows, for people who can't see it (a chunk `iTXt`). */
const SAYS = 'Description\0\0\0\0\0'

export const saidBy = (file: Buffer): string => partsOf(file).get('iTXt')?.toString().slice(SAYS.length) ?? ''

/** The same picture with a palette, and with what it says of itself. */
export function smaller(file: Buffer, says: string): Buffer {
  const parts = partsOf(file)
  const head = Buffer.from(parts.get('IHDR') ?? [])
  const {width, height} = sizeOf(file)
  const channels = head[9] === 6 ? 4 : 3
  const pixels = pixelsOf(inflateSync(parts.get('IDAT') ?? ''), width, height, channels)
  const colours = new Map<number, number>()
  const colourAt = (at: number) => {
    const [red, green, blue] = [0, 1, 2].map((n) =>
      Math.min(255, Math.round((pixels[at + n] ?? 0) / STEP) * STEP),
    ) as [number, number, number]
    return (red << 16) | (green << 8) | blue
  }
  for (let at = 0; at < pixels.length; at += channels) {
    const colour = colourAt(at)
    colours.set(colour, (colours.get(colour) ?? 0) + 1)
  }
  const ranked = [...colours].sort(([, a], [, b]) => b - a).map(([colour]) => colour)
  const palette = ranked.slice(0, 256)
  const places = new Map(ranked.map((colour) => [colour, closest(colour, palette)]))
  const lines = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      lines[y * (width + 1) + 1 + x] = places.get(colourAt((y * width + x) * channels)) ?? 0
  head.set([8, 3, 0, 0, 0], 8)
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  return Buffer.concat([
    SIGNATURE,
    part('IHDR', head),
    part('iTXt', Buffer.from(SAYS + says)),
    part('PLTE', table),
    part('IDAT', deflateSync(lines, {level: 9})),
    part('IEND', Buffer.alloc(0)),
  ])
}

function closest(colour: number, palette: readonly number[]): number {
  const apart = (other: number) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0)
  let best = 0
  for (const [at, one] of palette.entries()) if (apart(one) < apart(palette[best] ?? 0)) best = at
  return best
}

function part(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

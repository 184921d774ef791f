type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/**
 * How text is written, by its first two bytes: a byte order mark of UTF-16, or a zero beside the first letter, as what
 * begins a header or JSON is of ASCII.
 */
function encodingOf([first, second]: Uint8Array): Encoding {
  if (first === undefined || second === undefined) return 'utf-8'
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be'
  return 'utf-8'
}

/** The text of bytes in UTF-8 or UTF-16, without a byte order mark. Throws a TypeError if they are neither. */
export function decoded(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes), {fatal: true}).decode(bytes)
}

/** Bytes in UTF-8 or UTF-16 as bytes in UTF-8. Half a character of UTF-16 becomes U+FFFD. */
export async function* inUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start = Buffer.alloc(0)
  let decoder: InstanceType<typeof TextDecoder> | 'none' | undefined
  for await (const chunk of chunks) {
    let bytes = chunk
    if (decoder === undefined) {
      start = bytes = Buffer.concat([start, chunk])
      if (start.length < 2) continue
      const encoding = encodingOf(start)
      decoder = encoding === 'utf-8' ? 'none' : new TextDecoder(encoding)
    }
    yield decoder === 'none' ? bytes : Buffer.from(decoder.decode(bytes, {stream: true}))
  }
  if (decoder === undefined) yield start
  else if (decoder !== 'none') yield Buffer.from(decoder.decode())
}

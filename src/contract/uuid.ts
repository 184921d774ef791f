const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** A UUID in its hyphenated form, whatever its version and case; without the schema library, for what starts with every command. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

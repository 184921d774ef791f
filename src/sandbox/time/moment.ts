/** Q07 */
const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/

/**
 * Milliseconds of a date or date-time (spec, Endpoints, Conventions): a date alone is 00:00Z, no offset means UTC, an
 * offset is converted. undefined for what is neither, such as month 13, 24:00 or year 0.
 */
export function parseMoment(text: string): number | undefined {
  const match = form.exec(text)
  if (match === null) return undefined
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    zone = 'Z',
  ] = match
  const millis = `${fraction}000`.slice(0, 3)
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`)
  // Date.parse takes 31 February for 3 March on some days; the text must come back.
  const isReal =
    !Number.isNaN(local) && new Date(local).toISOString().startsWith(`${year}-${month}-${day}T${hour}`)
  if (!isReal || year === '0000') return undefined
  return zone === 'Z' ? local : local - offsetOf(zone)
}

function offsetOf(zone: string): number {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6))
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000
}

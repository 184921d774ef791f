import codes from 'i18n-iso-countries/codes.json' with {type: 'json'}
import english from 'i18n-iso-countries/langs/en.json' with {type: 'json'}

/** English names by alpha-3 code. The library's data without its code, which loads every language. */
const names = new Map(codes.map(([alpha2 = '', alpha3 = '']) => [alpha3, nameOf(alpha2)]))

function nameOf(alpha2: string): string {
  const name = (english.countries as Record<string, string | string[]>)[alpha2]
  return (Array.isArray(name) ? name[0] : name) ?? alpha2
}

/** Whether `code` is an ISO 3166-1 alpha-3 code in capitals (spec, VALIDATION_INVALID_COUNTRY_CODE). */
export function isCountry(code: string): boolean {
  return names.has(code)
}

/** Alpha-3 codes with their English names, by name. */
export function countryNames(): {code: string; name: string}[] {
  return [...names].map(([code, name]) => ({code, name})).sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

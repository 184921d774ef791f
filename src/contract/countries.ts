import countries from 'i18n-iso-countries'
import english from 'i18n-iso-countries/langs/en.json' with {type: 'json'}

/** Whether `code` is an ISO 3166-1 alpha-3 code in capitals (spec, VALIDATION_INVALID_COUNTRY_CODE). */
export function isCountry(code: string): boolean {
  return /^[A-Z]{3}$/.test(code) && countries.alpha3ToAlpha2(code) !== undefined
}

/** Alpha-3 codes with their English names, by name. */
export function countryNames(): {code: string; name: string}[] {
  countries.registerLocale(english)
  return Object.keys(countries.getAlpha3Codes())
    .map((code) => ({code, name: countries.getName(code, 'en') ?? code}))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

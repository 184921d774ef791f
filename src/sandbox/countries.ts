import codes from 'i18n-iso-countries/codes.json' with {type: 'json'}

const alpha3 = new Set(codes.map(([, code]) => code))

/** Whether a code is one of ISO 3166-1 alpha-3, in capitals. */
export const isCountry = (code: string): boolean => alpha3.has(code)

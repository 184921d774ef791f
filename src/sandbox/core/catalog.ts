/** The catalogue of the demo data. */
interface DemoScent {
  brand: string
  name: string
  code: string
  concentration: string
  audience: string
  notes: {top: string[]; heart: string[]; base: string[]}
  accords: string[]
  /** Net prices in halalas, one for each of `sizes`. */
  prices: number[]
}

/** In ml; the smallest is a sample. */
export const sizes = [2, 50, 100] as const

// Brand, name, code, concentration, audience, top / heart / base notes, accords, prices.
const catalog = `
Bayt Rimal | Saffron Dune | RML-SAF | EDP | UNISEX | Saffron, Bergamot / Rose / Amber, Oud | Warm Spicy, Amber | 1900 12050 21000
Bayt Rimal | Taif Rose | RML-TAI | EDP | WOMEN | Pink Pepper / Taif Rose, Peony / White Musk | Rose, Fresh | 2100 14500 24500
Bayt Rimal | Night Caravan | RML-NIG | PARFUM | MEN | Cardamom / Leather / Oud, Vetiver | Leather, Woody | 3500 39000 68500
Najd Oud | Royal Oud | NJD-ROY | OIL | UNISEX | Saffron / Oud / Amber, Labdanum | Oud, Amber | 9500 89000 145000
Najd Oud | Oud Leather | NJD-LEA | PARFUM | MEN | Black Pepper / Leather, Tobacco / Oud | Leather, Oud | 4200 42000 74900
Najd Oud | Dry Incense | NJD-INC | EDP | UNISEX | Frankincense / Myrrh / Cedar, Amber | Smoky, Woody | 2900 26500 44500
Warda | Jasmine Court | WRD-JAS | EDT | WOMEN | Green Tea, Bergamot / Jasmine / White Musk | White Floral, Fresh | 1950 9900 16900
Warda | Orange Blossom | WRD-ORA | EDT | WOMEN | Neroli / Orange Blossom / Honey, Cedar | Citrus, White Floral | 1950 10900 18500
Warda | Velvet Fig | WRD-FIG | EDP | UNISEX | Fig Leaf / Fig, Coconut / Sandalwood | Green, Creamy | 2200 15900 27900
Sidr & Salt | Red Sea | SDR-SEA | EDT | MEN | Sea Salt, Lemon / Sage / Ambergris | Marine, Fresh | 1900 11900 19900
Sidr & Salt | Sidr Honey | SDR-HON | EDP | UNISEX | Ginger / Honey / Tobacco, Vanilla | Sweet, Warm Spicy | 2400 17900 31500
Sidr & Salt | White Linen | SDR-LIN | EDT | UNISEX | Aldehydes / Cotton Flower / White Musk | Musky, Fresh | 1900 8900 14900
`

type Cells = [string, string, string, string, string, string, string, string]
const listed = (text: string) => text.split(', ')

export const demoScents: readonly DemoScent[] = catalog
  .trim()
  .split('\n')
  .map((row) => {
    const [brand, name, code, concentration, audience, notes, accords, prices] = row.split(' | ') as Cells
    const [top = [], heart = [], base = []] = notes.split(' / ').map(listed)
    const facts = {brand, name, code, concentration, audience, notes: {top, heart, base}}
    return {...facts, accords: listed(accords), prices: prices.split(' ').map(Number)}
  })

/** How a single variant of the demo data differs from the others. */
interface Special {
  stock?: number
  withheld?: true
  inactive?: true
  badges?: string[]
  compareAt?: number
  unpriced?: true
  belowFloor?: true
  outsideChild?: true
}

export const specials: Readonly<Record<string, Special>> = {
  'RML-SAF-050': {badges: ['BEST_SELLER', 'SAMPLE_AVAILABLE'], compareAt: 14_500},
  'RML-TAI-100': {stock: 7, badges: ['LIMITED']},
  'RML-NIG-050': {badges: ['NEW_ARRIVAL']},
  'RML-NIG-100': {stock: 3, badges: ['LIMITED'], outsideChild: true},
  'NJD-ROY-050': {outsideChild: true},
  'NJD-ROY-100': {stock: 2, badges: ['LIMITED'], outsideChild: true},
  'NJD-LEA-100': {stock: 0},
  'NJD-INC-050': {badges: ['BACK_IN_STOCK']},
  'NJD-INC-100': {unpriced: true},
  'WRD-JAS-100': {withheld: true},
  'WRD-FIG-100': {belowFloor: true},
  'SDR-SEA-100': {stock: 10},
  'SDR-HON-100': {stock: 0},
  'SDR-LIN-100': {inactive: true},
}

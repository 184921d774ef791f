/** The catalogue of the demo data. */
export interface DemoScent {
  brand: string
  name: string
  code: string
  concentration: 'EDP' | 'EDT' | 'PARFUM' | 'OIL'
  audience: 'MEN' | 'WOMEN' | 'UNISEX'
  notes: {top: string[]; heart: string[]; base: string[]}
  accords: string[]
  /** Net prices in halalas: a sample of 2 ml, 50 ml, 100 ml. */
  prices: [number, number, number]
}

export const sizes = [2, 50, 100] as const

export const demoScents: readonly DemoScent[] = [
  {
    brand: 'Bayt Rimal',
    name: 'Saffron Dune',
    code: 'RML-SAF',
    concentration: 'EDP',
    audience: 'UNISEX',
    notes: {top: ['Saffron', 'Bergamot'], heart: ['Rose'], base: ['Amber', 'Oud']},
    accords: ['Warm Spicy', 'Amber'],
    prices: [1_900, 12_050, 21_000],
  },
  {
    brand: 'Bayt Rimal',
    name: 'Taif Rose',
    code: 'RML-TAI',
    concentration: 'EDP',
    audience: 'WOMEN',
    notes: {top: ['Pink Pepper'], heart: ['Taif Rose', 'Peony'], base: ['White Musk']},
    accords: ['Rose', 'Fresh'],
    prices: [2_100, 14_500, 24_500],
  },
  {
    brand: 'Bayt Rimal',
    name: 'Night Caravan',
    code: 'RML-NIG',
    concentration: 'PARFUM',
    audience: 'MEN',
    notes: {top: ['Cardamom'], heart: ['Leather'], base: ['Oud', 'Vetiver']},
    accords: ['Leather', 'Woody'],
    prices: [3_500, 39_000, 68_500],
  },
  {
    brand: 'Najd Oud',
    name: 'Royal Oud',
    code: 'NJD-ROY',
    concentration: 'OIL',
    audience: 'UNISEX',
    notes: {top: ['Saffron'], heart: ['Oud'], base: ['Amber', 'Labdanum']},
    accords: ['Oud', 'Amber'],
    prices: [9_500, 89_000, 145_000],
  },
  {
    brand: 'Najd Oud',
    name: 'Oud Leather',
    code: 'NJD-LEA',
    concentration: 'PARFUM',
    audience: 'MEN',
    notes: {top: ['Black Pepper'], heart: ['Leather', 'Tobacco'], base: ['Oud']},
    accords: ['Leather', 'Oud'],
    prices: [4_200, 42_000, 74_900],
  },
  {
    brand: 'Najd Oud',
    name: 'Dry Incense',
    code: 'NJD-INC',
    concentration: 'EDP',
    audience: 'UNISEX',
    notes: {top: ['Frankincense'], heart: ['Myrrh'], base: ['Cedar', 'Amber']},
    accords: ['Smoky', 'Woody'],
    prices: [2_900, 26_500, 44_500],
  },
  {
    brand: 'Warda',
    name: 'Jasmine Court',
    code: 'WRD-JAS',
    concentration: 'EDT',
    audience: 'WOMEN',
    notes: {top: ['Green Tea', 'Bergamot'], heart: ['Jasmine'], base: ['White Musk']},
    accords: ['White Floral', 'Fresh'],
    prices: [1_950, 9_900, 16_900],
  },
  {
    brand: 'Warda',
    name: 'Orange Blossom',
    code: 'WRD-ORA',
    concentration: 'EDT',
    audience: 'WOMEN',
    notes: {top: ['Neroli'], heart: ['Orange Blossom'], base: ['Honey', 'Cedar']},
    accords: ['Citrus', 'White Floral'],
    prices: [1_950, 10_900, 18_500],
  },
  {
    brand: 'Warda',
    name: 'Velvet Fig',
    code: 'WRD-FIG',
    concentration: 'EDP',
    audience: 'UNISEX',
    notes: {top: ['Fig Leaf'], heart: ['Fig', 'Coconut'], base: ['Sandalwood']},
    accords: ['Green', 'Creamy'],
    prices: [2_200, 15_900, 27_900],
  },
  {
    brand: 'Sidr & Salt',
    name: 'Red Sea',
    code: 'SDR-SEA',
    concentration: 'EDT',
    audience: 'MEN',
    notes: {top: ['Sea Salt', 'Lemon'], heart: ['Sage'], base: ['Ambergris']},
    accords: ['Marine', 'Fresh'],
    prices: [1_900, 11_900, 19_900],
  },
  {
    brand: 'Sidr & Salt',
    name: 'Sidr Honey',
    code: 'SDR-HON',
    concentration: 'EDP',
    audience: 'UNISEX',
    notes: {top: ['Ginger'], heart: ['Honey'], base: ['Tobacco', 'Vanilla']},
    accords: ['Sweet', 'Warm Spicy'],
    prices: [2_400, 17_900, 31_500],
  },
  {
    brand: 'Sidr & Salt',
    name: 'White Linen',
    code: 'SDR-LIN',
    concentration: 'EDT',
    audience: 'UNISEX',
    notes: {top: ['Aldehydes'], heart: ['Cotton Flower'], base: ['White Musk']},
    accords: ['Musky', 'Fresh'],
    prices: [1_900, 8_900, 14_900],
  },
]

/** What makes single variants of the demo data special, by SKU. */
export interface Special {
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

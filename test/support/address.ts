/** A valid shipping address. */
export const address = {
  recipient: 'Sara',
  line1: 'King Fahd Road 1',
  city: 'Riyadh',
  nationalAddress: 'RRRD2929',
  countryCode: 'SAU',
  phone: '+966500000000',
}

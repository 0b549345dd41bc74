import { dollars } from '../../design/amounts.ts';

/** What a fork of an app costs. */
export const priceOf = (micros: number): string => (micros === 0 ? 'Free' : dollars(micros));

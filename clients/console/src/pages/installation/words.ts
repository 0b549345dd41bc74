import { bytes } from '../../design/amounts.ts';
import type { LimitsFragment } from './organizations.graphql.ts';

export type LimitName = Exclude<keyof LimitsFragment, '__typename'>;

const number = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A number in full, with marks between thousands. */
export const full = (value: number): string => number.format(value);

/** A number for narrow places: `1.2M`. */
export const compact = (value: number): string => short.format(value);

/** An amount of micro-dollars: `$12.50`. */
export const dollarsText = (micros: number): string =>
  (micros / 1e6).toLocaleString('en-US', { style: 'currency', currency: 'USD' });

/** A span of seconds: `2 min 5 s`. */
export function secondsText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Limits in the order in which they are shown, with their names for people. */
export const limitNames: readonly (readonly [name: LimitName, label: string])[] = [
  ['projects', 'Projects'],
  ['members', 'Members'],
  ['apiCalls', 'API calls per period'],
  ['storageBytes', 'Storage'],
  ['secrets', 'Secrets'],
  ['liveConnectionsPerProject', 'Live connections per project'],
  ['messagesPerDay', 'Messages per day'],
  ['eventsPerDay', 'Events per day'],
  ['emailsPerDay', 'Mails per day'],
  ['mailRecipients', 'Mail recipients'],
  ['readsPerSecond', 'Reads per second'],
  ['readsBurst', 'Reads at once'],
  ['writesPerSecond', 'Changes per second'],
  ['writesBurst', 'Changes at once'],
  ['grantsPerProject', 'Grants per project'],
  ['delegatesPerProject', 'Delegates per project'],
];

/** The value of a limit, with its unit. */
export const limitText = (name: string, value: number): string =>
  name === 'storageBytes' ? bytes(value) : full(value);

export const labelOfLimit = (name: string): string => limitNames.find(([known]) => known === name)?.[1] ?? name;

/** An enum of the graph in words: `PAST_DUE` is `Past due`. */
export function words(value: string): string {
  const text = value.toLowerCase().replaceAll('_', ' ');
  return text[0]!.toUpperCase() + text.slice(1);
}

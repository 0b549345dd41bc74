import { principalName } from '../../design/principal.tsx';
import type { SharingQuery } from './sharing.graphql.ts';

export type Project = NonNullable<SharingQuery['project']>;
export type Grant = NonNullable<Project['grants']>['edges'][number]['node'];
export type Delegate = NonNullable<Project['delegates']>['edges'][number]['node'];

/** Whether a grant or a delegate still opens something. */
export const holds = ({ revokedAt, expiresAt }: Pick<Grant, 'revokedAt' | 'expiresAt'>): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now());

/** The name of the holder of a grant. */
export const holderName: (grant: Grant) => string = principalName;

/** The end of a day of the browser's time zone; undefined when no day is given. */
export const endOf = (day: string): string | undefined => {
  const [year, month, date] = day.split('-').map(Number);
  return day === '' ? undefined : new Date(year!, month! - 1, date! + 1).toISOString();
};

import type { Mood } from '../../design/badge.tsx';
import { StateBadge } from '../../design/badge.tsx';

const moods: Readonly<Record<string, Mood>> = {
  SUCCEEDED: 'good',
  RUNNING: 'accent',
  SCHEDULED: 'plain',
  RETRYING: 'warn',
  BLOCKED: 'warn',
  EXPIRED: 'plain',
};

/** How a run stands. @param status as the graph or the feed says it, in letters of either size */
export function RunStatus({ status }: { readonly status: string }) {
  const value = status.toUpperCase();
  const mood = moods[value];
  return <StateBadge value={value} {...(mood === undefined ? {} : { mood })} />;
}

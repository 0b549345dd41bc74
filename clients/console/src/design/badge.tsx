import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** How good or bad a state is. */
export type Mood = 'good' | 'warn' | 'bad' | 'accent' | 'plain';

const capital = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;

interface BadgeProps {
  /** @default 'plain' */
  readonly mood?: Mood;
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}

/** One or two words on how something is. They begin with a capital. */
export function Badge({ mood = 'plain', icon: Icon, children }: BadgeProps) {
  return (
    <span className={`badge ${mood}`}>
      {Icon !== undefined && <Icon className="icon" aria-hidden="true" />}
      {typeof children === 'string' ? capital(children) : children}
    </span>
  );
}

const moods: Readonly<Record<string, Mood>> = {
  ACTIVE: 'good',
  READY: 'good',
  SENT: 'good',
  DELIVERED: 'good',
  RESOLVED: 'good',
  ACKNOWLEDGED: 'accent',
  HIGH: 'warn',
  PAST_DUE: 'warn',
  PROVISIONING: 'warn',
  QUEUED: 'warn',
  INVITED: 'accent',
  FAILED_TRANSIENT: 'warn',
  PENDING: 'warn',
  OPEN: 'bad',
  BOUNCED: 'bad',
  COMPLAINED: 'bad',
  FAILED: 'bad',
  FAILED_PERMANENT: 'bad',
  FROZEN: 'bad',
};

interface StateBadgeProps {
  /** A value of an enum of the graph, such as `PAST_DUE`. */
  readonly value: string;
  /** @default by the value */
  readonly mood?: Mood;
}

/** A value of an enum of the graph in words: `PAST_DUE` is “Past due”. */
export const enumName = (value: string): string => capital(value.toLowerCase().replaceAll('_', ' '));

/** A state of the graph as a badge, in words. */
export const StateBadge = ({ value, mood = moods[value] ?? 'plain' }: StateBadgeProps) => (
  <Badge mood={mood}>{enumName(value)}</Badge>
);

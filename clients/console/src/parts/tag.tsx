/** How good or bad a state is. */
export type Mood = 'good' | 'warn' | 'bad' | 'accent' | 'plain';

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
  OPEN: 'bad',
  FAILED: 'bad',
  FAILED_PERMANENT: 'bad',
  FROZEN: 'bad',
};

/** A state as a label. */
export function Tag({ value, mood = moods[value] ?? 'plain' }: { readonly value: string; readonly mood?: Mood }) {
  return <span className={`tag ${mood}`}>{value.toLowerCase().replaceAll('_', ' ')}</span>;
}

import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Section } from '../../design/section.tsx';
import { Link } from '../../router.tsx';

/** Something that a person should look at. */
export interface Attention {
  readonly key: string;
  readonly mood: 'bad' | 'warn';
  /** Says what is wrong, and of what. */
  readonly text: string;
  /** The page that shows it; absent for an entry with a button. */
  readonly to?: string;
}

interface AttentionListProps {
  readonly items: readonly Attention[];
  /** Entries with a button, which come first. */
  readonly children?: ReactNode;
  readonly hasOwn: boolean;
  /** Whether everything was looked at. */
  readonly isComplete: boolean;
}

/** What to look at, the worst first. */
export function AttentionList({ items, children, hasOwn, isComplete }: AttentionListProps) {
  const sorted = [...items].sort((one, other) => Number(one.mood === 'warn') - Number(other.mood === 'warn'));
  if (sorted.length === 0 && !hasOwn)
    return (
      <p className="all-well" role="status">
        {isComplete ? (
          <>
            <CircleCheck className="icon" aria-hidden="true" /> Nothing needs your attention.
          </>
        ) : (
          'Checking your organizations…'
        )}
      </p>
    );
  return (
    <Section title="Needs attention">
      <ul className="attention" aria-label="Needs attention">
        {children}
        {sorted.map(({ key, mood, text, to }) => (
          <li key={key} className={mood}>
            {mood === 'bad' ? (
              <CircleAlert className="icon" role="img" aria-label="Problem" />
            ) : (
              <TriangleAlert className="icon" role="img" aria-label="Warning" />
            )}
            {to === undefined ? <span>{text}</span> : <Link to={to}>{text}</Link>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

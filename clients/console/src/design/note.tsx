import './note.css';
import { CircleCheck, CircleX, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

type NoteMood = 'plain' | 'good' | 'warn' | 'bad';

const icons: Readonly<Record<NoteMood, LucideIcon>> = {
  plain: Info,
  good: CircleCheck,
  warn: TriangleAlert,
  bad: CircleX,
};

interface NoteProps {
  /** @default 'plain' */
  readonly mood?: NoteMood;
  /** The message in a few words. */
  readonly title: ReactNode;
  /** One sentence more. */
  readonly children?: ReactNode;
  /** Buttons. */
  readonly action?: ReactNode;
}

/** Says how something is, above what it is about. */
export function Note({ mood = 'plain', title, children, action }: NoteProps) {
  const Icon = icons[mood];
  return (
    <div className={`notice ${mood}`}>
      <Icon className="icon" aria-hidden="true" />
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        {children !== undefined && <div className="notice-more">{children}</div>}
      </div>
      {action}
    </div>
  );
}

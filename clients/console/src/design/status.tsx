import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Lines in place of a text that is being loaded. They take the space that it will take. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div className="skeleton-lines" role="status">
      <span className="seen-by-readers">Loading…</span>
      {Array.from({ length: lines }, (_line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike.
        <span key={at} className="skeleton" />
      ))}
    </div>
  );
}

interface AvatarProps {
  readonly name: string;
  /** For organizations and projects. @default false */
  readonly square?: boolean;
}

/**
 * The first letters of a name, in place of a picture. The name itself has to stand beside it. The letters are no text of the
 * page: they are not copied with it, and no label has to hold them.
 */
export function Avatar({ name, square = false }: AvatarProps) {
  return <span className={square ? 'avatar square' : 'avatar'} aria-hidden="true" data-initials={initialsOf(name)} />;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** One or two letters, of the first and the last word, and of an address those before its “@”. Letters of any script count. */
export function initialsOf(name: string): string {
  const words = name
    .replace(/@.*/, '')
    .split(/[\s._-]+/)
    .filter((word) => word !== '');
  const picked = words.length > 1 ? [words[0]!, words.at(-1)!] : words;
  return picked.map((word) => [...graphemes.segment(word)][0]?.segment.toUpperCase() ?? '').join('') || '?';
}

interface StateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** One sentence on what belongs here and how it comes about. */
  readonly children?: ReactNode;
  /** The button that makes the first one. */
  readonly action?: ReactNode;
}

/** What is shown in place of a list that has nothing to show: empty, not found, or not allowed. */
export function State({ icon: Icon, title, children, action }: StateProps) {
  return (
    <div className="state">
      <Icon className="icon" aria-hidden="true" />
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

import { lineDiff } from './line-diff.ts';

const signs = { same: ' ', added: '+', removed: '−' } as const;
const words = { same: '', added: 'Added: ', removed: 'Removed: ' } as const;

/** Two texts line by line. Lines that both share are shown around those that differ. */
export function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset takes no part in scrolling.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key.
    <pre className="access-diff" role="group" tabIndex={0} aria-label="Changes">
      {lineDiff(before, after).map(({ kind, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines may be alike, and are drawn anew together.
        <span key={at} className={kind}>
          <span aria-hidden="true">{signs[kind]} </span>
          {kind !== 'same' && <span className="seen-by-readers">{words[kind]}</span>}
          {`${text}\n`}
        </span>
      ))}
    </pre>
  );
}

import type { ReactNode } from 'react';

interface ToolbarProps {
  /** Says what the controls work on, for screen readers. */
  readonly label: string;
  /** Controls at the left: search, filters. */
  readonly children: ReactNode;
  /** Controls at the right: actions. */
  readonly end?: ReactNode;
}

/**
 * A row of controls above a list. The Tab key reaches each of them: arrow keys belong to the search and the fields in it.
 */
export function Toolbar({ label, children, end }: ToolbarProps) {
  return (
    <fieldset className="toolbar" aria-label={label}>
      <div>{children}</div>
      {end !== undefined && <div>{end}</div>}
    </fieldset>
  );
}

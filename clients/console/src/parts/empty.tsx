import type { ReactNode } from 'react';

/** Says that there is nothing yet, and how there could be something. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children !== undefined && <div>{children}</div>}
    </div>
  );
}
